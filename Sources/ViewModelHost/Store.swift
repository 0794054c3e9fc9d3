/// A store of saved sessions.
///
/// Another module implements it.
///
/// Isolation: called from any thread. It never blocks the caller's thread.
public protocol Store: Sendable {
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

    /// Erases the sessions that had no client for `days` days.
    func eraseUnused(forDays days: Int) async throws
}

/// The permanent identity of a named session: its user and its name.
public struct SessionKey: Hashable, Sendable {
    /// The uid of the user.
    public let uid: UInt32
    /// The session's name.
    public let name: String

    /// Creates a key.
    public init(uid: UInt32, name: String) {
        self.uid = uid
        self.name = name
    }
}

/// A saved session.
public struct SavedSession: Equatable, Sendable {
    /// The instances in the order of their creation, without children.
    public var instances: [SavedInstance]
    /// The JSON texts of the restorable values by place.
    public var values: [SavedValue.Place: [UInt8]]

    /// Creates a saved session.
    public init(instances: [SavedInstance] = [], values: [SavedValue.Place: [UInt8]] = [:]) {
        self.instances = instances
        self.values = values
    }
}

/// A saved instance.
public struct SavedInstance: Equatable, Sendable {
    /// The instance's id.
    public let id: String
    /// The name of its type.
    public let type: String
    /// The JSON text of the arguments of `viewModel.open`, if there were any.
    public let arguments: [UInt8]?

    /// Creates a saved instance.
    public init(id: String, type: String, arguments: [UInt8]?) {
        self.id = id
        self.type = type
        self.arguments = arguments
    }
}

/// A restorable value with its place.
public struct SavedValue: Equatable, Sendable {
    /// The place of a value in its session.
    public struct Place: Hashable, Sendable {
        /// The id of the instance, or `""` for a value of the session itself.
        public let owner: String
        /// The value's name.
        public let name: String

        /// Creates a place.
        public init(owner: String, name: String) {
            self.owner = owner
            self.name = name
        }
    }

    /// The place of the value.
    public let place: Place
    /// The JSON text; nil to erase the value.
    public let text: [UInt8]?

    /// Creates a value.
    public init(place: Place, text: [UInt8]?) {
        self.place = place
        self.text = text
    }
}

/// The changes of a session since the last save.
public struct SessionChanges: Equatable, Sendable {
    /// The session.
    public let key: SessionKey
    /// All instances if any was created or closed; nil if none was.
    ///
    /// The store also erases the values of closed instances.
    public var instances: [SavedInstance]?
    /// The changed values.
    public var values: [SavedValue]
    /// Whether the changes contain the whole session, so that a store without it can save them.
    public var isComplete: Bool

    /// Creates a set of changes.
    public init(
        key: SessionKey,
        instances: [SavedInstance]? = nil,
        values: [SavedValue] = [],
        isComplete: Bool = true
    ) {
        self.key = key
        self.instances = instances
        self.values = values
        self.isComplete = isComplete
    }
}

/// An error: the store has erased the session, and the changes are incomplete.
///
/// The store erases the least recently used session beyond `limits.savedSessionsPerUser`. The changes were not saved.
/// The next save must contain the whole session.
public struct SessionForgotten: Error, Hashable, Sendable {
    /// Creates the error.
    public init() {}
}

/// An error: the session is larger than `limits.savedBytesPerSession`.
public struct SessionTooLarge: Error, Sendable, CustomStringConvertible {
    /// The limit in bytes.
    public let limit: Int

    /// Creates the error.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The error and its remedy, for the log.
    public var description: String {
        """
        The session is not saved: its state is larger than limits.savedBytesPerSession (\(limit)), which can be raised. \
        What was saved before stays, and is what a restart restores
        """
    }
}
