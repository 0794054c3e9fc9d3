/// What several daemons with one store need from it beside the records.
///
/// Isolation: used from anywhere. No call blocks its caller's thread.
package protocol SharedStorage: Sendable {
    /// Keeps the daemon's part in the store and reports the changes that other daemons make, until the task is cancelled.
    ///
    /// The part is, for example, the lease of what the daemon has claimed. The call lasts as long as the daemon writes.
    ///
    /// A change of data that this daemon has read is reported at least once, after its commit. Reported data may be
    /// unchanged. When changes may have been missed, all that this daemon has read is reported. The sign-in of a user is
    /// reported once its token and its page are stored, so that they can be shown together.
    ///
    /// - Parameter report: reads the data again, and returns whether it could be read. Otherwise it is reported again
    ///   later. Several calls may run at the same time.
    func run(_ report: @escaping @Sendable (StorageChange) async -> Bool) async

    /// Reports no changes of a user's data any more, until the daemon reads them again.
    func forget(_ uid: UInt32)

    /// Begins to refresh a token, and returns whether the caller may: no other daemon refreshes it.
    ///
    /// A refresh that is not ended ends by itself after some time, and at the death of its daemon.
    func beginRefresh(of uid: UInt32, provider: String) async throws(StoreError) -> Bool

    /// Ends a refresh that ``beginRefresh(of:provider:)`` has begun.
    ///
    /// A failure is only logged, because the refresh ends by itself.
    func endRefresh(of uid: UInt32, provider: String) async
}

/// Data of one kind that daemons with the same store change.
package struct StorageChange: Hashable, Sendable {
    package enum Topic: String, CaseIterable, Sendable {
        /// The token or the cached page.
        case account
        /// The messages to be delivered.
        case outbox
        /// The values that outlast sessions.
        case values
    }

    /// The user; -1 for the daemon itself.
    package let uid: Int64
    package let topic: Topic

    package init(_ topic: Topic, of uid: Int64) {
        self.uid = uid
        self.topic = topic
    }
}
