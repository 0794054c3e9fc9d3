/// The nodes on which named sessions live, for hosts that share a store.
///
/// Another module implements it, over the database of the ``Store``. A host without one has all its sessions to itself.
///
/// A session has at most one owner: a boot, which is one run of a host. It claims the session with
/// ``Store/acquire(_:_:mayCreate:)``. The owner keeps the session until it releases or
/// erases it, or until the lease of its boot has expired and another boot claims the session.
///
/// **What the implementation promises**
///
/// - Each successful claim has a larger fence than all earlier claims of that session, also if the session was erased in
///   between, and if the same boot owned it before.
/// - When a claim has returned, every write under an older fence throws ``SessionMoved`` and changes nothing. The claim
///   returns the effects of all writes that had returned before.
/// - A claim takes a session from a living boot only after that boot has released or erased it.
/// - A claim ends: at the latest when the lease of the owner's boot would have expired and some seconds have passed.
/// - A lost event is possible, and so is a repeated one. Ownership is always read from the database.
///
/// **What the host promises**
///
/// - For one session it makes one call at a time, of the placement or of the store, in this order: a claim, saves in any
///   number, then an erasure or a release. It then makes no further write under that fence. Reports wait for no other call.
/// - It answers each ``PlacementEvent/requested(_:_:_:node:)`` for a fence that it holds: with a release, or with a report
///   whose `attached` is above 0. While the session is being created, or while its changes cannot be saved, it does not
///   answer. A repeated request is then answered.
/// - It releases a session after the last save, also when the host stops, and a fence without a session when it is asked.
/// - It repeats a report or a release that has failed, until it succeeds or the fence is old.
///
/// **A crash between two steps**
///
/// | the owner dies | then |
/// | --- | --- |
/// | before the last save, or after it and before the release | the session is claimed when its lease has expired, with all that was saved |
/// | after the release | the session has no owner, and any node can claim it |
///
/// | the claiming node dies | then |
/// | --- | --- |
/// | before the owner releases | the owner ends the session and releases it; the next claim succeeds at once |
/// | after its claim | it is the owner, and its lease decides |
///
/// Isolation: called from any thread. It never blocks the caller's thread.
package protocol SessionPlacement: Sendable {
    /// Begins to report events, and ends with the implementation.
    ///
    /// The host calls it once, before all other functions.
    ///
    /// - Parameter handle: called on any thread, and returns at once.
    func start(_ handle: @escaping @Sendable (PlacementEvent) -> Void)

    /// Ends pending and later claims with an error, because the host stops.
    ///
    /// Releases, reports and requests of other nodes go on.
    func stopClaiming()

    /// Ends the ownership.
    ///
    /// Of a session that was never saved, nothing is left. It does nothing if the fence is old.
    func release(_ key: SessionKey, under fence: SessionFence) async throws

    /// Records the summary of a session for the other nodes, and wakes their claims.
    ///
    /// It does nothing if the fence is old.
    func report(_ summary: SessionSummary, of key: SessionKey, under fence: SessionFence) async throws

    /// Returns the sessions of other boots whose lease has not expired.
    ///
    /// - Parameter uid: their user; nil for all users.
    /// - Returns: the sessions, in any order.
    /// - Throws: ``StoreFailure``.
    func sessionsElsewhere(of uid: UInt32?) async throws -> [RemoteSession]

    /// Returns a digest of the params of a call with a retry key, which any node may compare with a saved one.
    ///
    /// Without the key of the nodes, a guess of the params cannot be tested. The digest begins with ``digestKey``.
    func digest(of text: [UInt8]) -> [UInt8]

    /// The id of the key of new digests; digests of another key cannot be compared with them.
    var digestKey: [UInt8] { get }
}

/// What may happen to the clients of a session where it lives now.
package enum ClaimMode: String, Sendable {
    /// The session moves if no client is attached.
    case ifUnused
    /// The session moves, and its clients are notified.
    case move
    /// The session is closed, and its clients are notified. The claiming host erases it.
    case close
}

/// An event that concerns a session of this boot.
package enum PlacementEvent: Sendable {
    /// The node asks for the session that this boot owns under the fence.
    case requested(SessionKey, SessionFence, ClaimMode, node: String)
    /// This boot does not own the session under the fence any more, because its lease had expired.
    ///
    /// `node` is the name of the new owner's node, or nil if the session has no owner.
    case lost(SessionKey, SessionFence, node: String?)
}

/// What `session.list` shows of a session, also on other nodes.
package struct SessionSummary: Equatable, Sendable {
    /// The number of attached connections.
    package var attached: Int
    /// The number of instances.
    package var instances: Int
    /// The time of its creation, in RFC 3339.
    package var created: String
    /// The time at which it ends without a further attach, in RFC 3339; nil while a connection is attached.
    package var expires: String?

    package init(attached: Int, instances: Int, created: String, expires: String?) {
        self.attached = attached
        self.instances = instances
        self.created = created
        self.expires = expires
    }
}

/// A session that lives on another node.
package struct RemoteSession: Equatable, Sendable {
    package let key: SessionKey
    /// The name of its node.
    package let node: String
    /// The summary that its owner has reported last; nil before its first report.
    package let summary: SessionSummary?

    package init(key: SessionKey, node: String, summary: SessionSummary?) {
        self.key = key
        self.node = node
        self.summary = summary
    }
}
