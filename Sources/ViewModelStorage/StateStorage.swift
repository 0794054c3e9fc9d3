package import ViewModelHost

/// The data that outlasts the daemon, in the file or the database of a store.
///
/// `ViewModelStore` keeps it in SQLite. What this protocol and its parts promise holds for each store:
///
/// - Durability: the effect of a write outlasts a power failure of the store's machine once the call has returned. A call
///   that throws has changed nothing, with one exception: if the connection to a database breaks during a commit, the
///   outcome is unknown, and the error is `StoreError.Kind.unavailable`. The caller then repeats the call or reads.
/// - Order: a read sees every write that has returned before it, of any caller in this process. Calls that run at the
///   same time take effect in some order, each as a whole. The store keeps the order of a user's outbox and of a session's
///   instances.
/// - Fencing: a daemon writes a session under the fence that it got with the session. After another daemon has taken the
///   session over, such a write throws ``SessionMoved`` and changes nothing. A store of one daemon has one fence.
/// - Errors: `StoreError`, whose `isRetryable` says whether the same call can succeed later. The bounds are results or
///   errors of their own.
/// - Erasure: a removal that is documented so leaves no copy of the data in the store's files.
/// - Cancellation does not stop a call that has begun, so its outcome is always reported.
///
/// Isolation: used from anywhere. No call blocks its caller's thread.
package protocol StateStorage: Sendable {
    /// The rows of the encrypted account tokens.
    var vaultRecords: any VaultRecords { get }
    /// The keys of these tokens.
    var vaultKeys: VaultKeys { get }
    /// The cached account pages.
    var cache: any Cache { get }
    /// The messages to be delivered.
    var outbox: any Outbox { get }
    /// The accounts that the daemon itself keeps.
    var accounts: any LocalAccounts { get }
    /// The saved sessions, and the values of users and of the daemon.
    var sessions: any Store { get }
    /// The numbers of people without a Unix account.
    var userNumbers: any UserNumbers { get }

    /// What the daemons with this store need beside the records; nil for a store of one daemon.
    var sharing: (any SharedStorage)? { get }
    /// The nodes on which named sessions live; nil for a store of one daemon.
    var placement: (any SessionPlacement)? { get }

    /// Changes the bounds, which apply from the next call on.
    func adopt(_ bounds: StoreBounds)

    /// Returns the health of the storage.
    ///
    /// The call waits neither for a disk nor for a network. The storage is healthy if it can be written as far as is known.
    func health() -> StorageHealth

    /// Tests whether the storage works, with a write or a request that changes nothing.
    ///
    /// If the storage hangs, the answer is never called. An error is the one that any write would throw now.
    ///
    /// - Parameter answer: called at most once, on a thread of the storage.
    func probe(_ answer: @escaping @Sendable (Result<Void, StoreError>) -> Void)

    /// Returns all records, of one moment.
    ///
    /// An item that is being sent is returned as queued.
    ///
    /// - Throws: `StoreError.Kind.locked` if a daemon uses the store and the store knows it.
    func records() async throws(StoreError) -> StoreRecords

    /// Stores records in one transaction. The store must be empty.
    ///
    /// - Throws: `StoreError.Kind.notEmpty` if the store has records; `StoreError.Kind.locked` as ``records()``.
    func fill(with records: StoreRecords) async throws(StoreError)

    /// Closes the store after all calls that have begun.
    ///
    /// Later calls throw `StoreError.Kind.closed`.
    func close() async throws(StoreError)
}

extension StateStorage {
    package var sharing: (any SharedStorage)? { nil }
    package var placement: (any SessionPlacement)? { nil }
}
