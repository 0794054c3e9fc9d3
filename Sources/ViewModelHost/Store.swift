/// A store of saved sessions.
///
/// Another module implements it.
///
/// Isolation: called from any thread. It never blocks the caller's thread.
package protocol Store: Sendable {
    /// Returns the saved session, or nil.
    func load(_ key: SessionKey) async throws -> SavedSession?

    /// Saves changes, and returns when they would outlast a power failure.
    ///
    /// - Throws: ``SessionTooLarge`` and ``SessionForgotten``. The former saved session stays unchanged then.
    func save(_ changes: SessionChanges) async throws

    /// Erases a saved session.
    ///
    /// A session that was not saved is not an error.
    func erase(_ key: SessionKey) async throws

    /// Records that a client is attached to the session, so that the session counts as used now.
    func touch(_ key: SessionKey) async throws

    /// Returns the values that are kept for a user or for the daemon, as JSON texts.
    func loadValues(of area: ValueArea) async throws -> [SavedValue.Key: [UInt8]]

    /// Saves values for a user or for the daemon, and returns when they would outlast a power failure.
    ///
    /// - Throws: ``ValuesTooLarge``. The former values stay unchanged then.
    func save(_ values: [SavedValue], of area: ValueArea) async throws

    /// Erases the sessions that had no client for `days` days.
    func eraseUnused(forDays days: Int) async throws
}

/// The store of saved sessions that a program gives to its server.
public struct SessionStore: Sendable {
    /// The store itself.
    package let base: any Store

    /// Creates a store for a server.
    package init(_ base: any Store) {
        self.base = base
    }
}

/// An error: the store has erased the session, and the changes are incomplete.
///
/// The store erases the least recently used session beyond `limits.savedSessionsPerUser`. The changes were not saved.
/// The next save must contain the whole session.
package struct SessionForgotten: Error, Hashable, Sendable {
    /// Creates the error.
    package init() {}
}

/// An error: the values that are kept for a user, or for the daemon, are larger than `limits.savedBytesPerSession`.
package struct ValuesTooLarge: Error, Sendable, CustomStringConvertible {
    /// The limit in bytes.
    package let limit: Int

    /// Creates the error.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The error and its remedy, for the log.
    package var description: String {
        """
        Lasting values are not saved: together they are larger than limits.savedBytesPerSession (\(limit)), which can be \
        raised. A restart restores the values that were saved before
        """
    }
}

/// An error: the session is larger than `limits.savedBytesPerSession`.
package struct SessionTooLarge: Error, Sendable, CustomStringConvertible {
    /// The limit in bytes.
    package let limit: Int

    /// Creates the error.
    package init(limit: Int) {
        self.limit = limit
    }

    /// The error and its remedy, for the log.
    package var description: String {
        """
        The session is not saved: its state is larger than limits.savedBytesPerSession (\(limit)), which can be raised. \
        A restart restores the state that was saved before
        """
    }
}
