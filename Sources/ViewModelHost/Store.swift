/// A store of saved sessions.
///
/// Another module implements it.
///
/// - Durability: the effect of a write outlasts a power failure once the call has returned. A call that throws has
///   changed nothing; after a broken connection to a database, its outcome may be unknown.
/// - Order: a read sees every write that has returned before it. The caller makes one call on a session at a time, and
///   one call on the values of an area. Calls on different ones may run at the same time.
/// - Fencing: a session has one writer. Each write of a session names the fence of its writer, and checks it in its own
///   transaction. A write under an old fence throws ``SessionMoved`` and changes nothing.
///
/// Isolation: called from any thread. It never blocks the caller's thread.
package protocol Store: Sendable {
    /// Makes the caller the writer of a session, and returns what is saved of it.
    ///
    /// The fences of all former writers become invalid. A store of one daemon has one fence, which is always valid. With
    /// ``SessionPlacement``, this claims the session:
    ///
    /// - A session without an owner is acquired at once, and so is one of this boot or of a boot whose lease has expired.
    /// - Otherwise the owner is asked. The request is repeated every second until the owner has released the session, or
    ///   until its lease has expired. With `ifUnused`, an owner that answers with attached clients occupies it. A session
    ///   that the owner has released is acquired although nothing of it may be saved. One that it has erased is not.
    ///
    /// It counts as a use of the session, unless the session is to be closed. A use that cannot be recorded is no error.
    ///
    /// - Parameters:
    ///   - key: the session.
    ///   - mode: what may happen to the clients that are attached elsewhere.
    ///   - mayCreate: whether the caller becomes the writer of a session that is neither owned nor saved.
    /// - Returns: the session; nil if it is neither owned nor saved, and `mayCreate` is false.
    /// - Throws: `ProtocolError.sessionInUse` if clients are attached on its owner's node; the store's error, which is
    ///   unavailable also if the owner has a lease and does not answer.
    func acquire(_ key: SessionKey, _ mode: ClaimMode, mayCreate: Bool) async throws -> AcquiredSession?

    /// Saves changes, and returns when they would outlast a power failure.
    ///
    /// The changes are saved as a whole. They count as a use of the session now.
    ///
    /// - Throws: ``SessionMoved``, ``SavedStateTooLarge`` and ``SessionForgotten``. The former saved session stays
    ///   unchanged then.
    func save(_ changes: SessionChanges) async throws

    /// Erases a saved session.
    ///
    /// A session that was not saved is not an error. No file of the store contains its data when this returns.
    ///
    /// - Throws: ``SessionMoved``. The saved session stays unchanged then.
    func erase(_ key: SessionKey, under fence: SessionFence) async throws

    /// Records that a client is attached to the session, so that the session counts as used now.
    ///
    /// It needs no fence, because it changes only the time of the last use.
    func touch(_ key: SessionKey) async throws

    /// Returns the values that are kept for a user or for the daemon, as JSON texts.
    func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]]

    /// Saves values for a user or for the daemon, and returns when they would outlast a power failure.
    ///
    /// A value that another daemon has saved since this one last read or saved it is newer, and stays.
    ///
    /// - Returns: the newer values.
    /// - Throws: ``SavedStateTooLarge``. The former values stay unchanged then.
    func save(_ changes: [LastingChange], of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]]

    /// Erases the sessions that had no client for `days` days.
    func eraseUnused(forDays days: Int) async throws
}

/// The number of a session's take-over by a writer.
///
/// Each take-over has a larger one than the former.
package struct SessionFence: Hashable, Sendable {
    package let number: Int64

    package init(_ number: Int64) {
        self.number = number
    }

    /// The fence of all sessions in a store of one daemon.
    package static let single = SessionFence(0)
}

/// A session whose writer the caller has become.
package struct AcquiredSession: Equatable, Sendable {
    /// The fence for the writes of this writer.
    package let fence: SessionFence
    /// The saved state, or nil.
    package var saved: SavedSession?
    /// The seconds by the clock of the store, which all nodes share; nil if the clock of this machine is the only one.
    package var date: Double?

    package init(fence: SessionFence, saved: SavedSession?, date: Double? = nil) {
        self.fence = fence
        self.saved = saved
        self.date = date
    }
}

/// The store of saved sessions that a program gives to its server.
public struct SessionStore: Sendable {
    /// The store itself.
    package let base: any Store

    package init(_ base: any Store) {
        self.base = base
    }
}

/// An error: the session has another writer by now, so the fence of the write is old.
package struct SessionMoved: Error, Hashable, Sendable {
    /// The name of the node on which the session lives now; nil if it is not known.
    package let node: String?

    package init(to node: String? = nil) {
        self.node = node
    }
}

/// An error of a store.
package protocol StoreFailure: Error {
    /// Whether the store cannot be reached or written, or does not answer in time.
    ///
    /// The same call can succeed later. Callers receive -32000 `storeUnavailable`.
    var isUnavailable: Bool { get }
}

extension Error {
    var isUnavailableStore: Bool { (self as? any StoreFailure)?.isUnavailable == true }
}

/// An error: the store has erased the session, and the changes are incomplete.
///
/// The store erases the least recently used session beyond `limits.savedSessionsPerUser`. The changes were not saved.
/// The next save must contain the whole session.
package struct SessionForgotten: Error, Hashable, Sendable {
    package init() {}
}

/// An error: a session, or all values that are kept for a user or for the daemon, are larger than
/// `limits.savedBytesPerSession`, without what was put aside.
package struct SavedStateTooLarge: Error, Hashable, Sendable {
    /// The limit in bytes.
    package let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }
}
