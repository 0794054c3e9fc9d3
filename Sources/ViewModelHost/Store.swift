/// Where a host keeps what named sessions leave behind; the implementation is another target's.
///
/// Isolation: called from anywhere; never blocks the caller's thread.
public protocol Store: Sendable {
    /// What was saved of a session, or nil.
    func load(_ key: SessionKey) async throws -> SavedSession?

    /// Saves what changed; returns when it would outlast a power failure.
    ///
    /// - Throws: ``SessionTooLarge`` and ``SessionForgotten``; the store then has what it had before.
    func save(_ changes: SessionChanges) async throws

    /// Erases what was saved of a session; without effect where nothing was.
    func erase(_ key: SessionKey) async throws

    /// Takes note that somebody is attached to the session, so that it counts as used from now on.
    func touch(_ key: SessionKey) async throws

    /// Erases the sessions that nobody has been attached to for so many days.
    func eraseUnused(forDays days: Int) async throws
}

/// Names a session for ever: its user and its name.
public struct SessionKey: Hashable, Sendable {
    /// The user.
    public let uid: UInt32
    /// The session's name.
    public let name: String

    /// Names a session.
    public init(uid: UInt32, name: String) {
        self.uid = uid
        self.name = name
    }
}

/// What is kept of a session.
public struct SavedSession: Equatable, Sendable {
    /// The instances in the order of their making, children left out.
    public var instances: [SavedInstance]
    /// JSON texts of the restorable values, by the owner's instance id (`""` for the session's own) and the value's name.
    public var values: [SavedValue.Place: [UInt8]]

    /// Makes what is kept.
    public init(instances: [SavedInstance] = [], values: [SavedValue.Place: [UInt8]] = [:]) {
        self.instances = instances
        self.values = values
    }
}

/// An instance that comes back.
public struct SavedInstance: Equatable, Sendable {
    /// The instance's id.
    public let id: String
    /// The name of its type.
    public let type: String
    /// The JSON text of the arguments that it was opened with, if there were any.
    public let arguments: [UInt8]?

    /// Makes an instance.
    public init(id: String, type: String, arguments: [UInt8]?) {
        self.id = id
        self.type = type
        self.arguments = arguments
    }
}

/// A restorable value and its place.
public struct SavedValue: Equatable, Sendable {
    /// Where a value belongs.
    public struct Place: Hashable, Sendable {
        /// The id of the instance, `""` for what the session's ViewModels share.
        public let owner: String
        /// The value's name.
        public let name: String

        /// Makes a place.
        public init(owner: String, name: String) {
            self.owner = owner
            self.name = name
        }
    }

    /// Where it belongs.
    public let place: Place
    /// JSON text; nil when the value is no more.
    public let text: [UInt8]?

    /// Makes a value.
    public init(place: Place, text: [UInt8]?) {
        self.place = place
        self.text = text
    }
}

/// What changed in a session since it was saved last.
public struct SessionChanges: Equatable, Sendable {
    /// The session.
    public let key: SessionKey
    /// All instances, where some came or went; nil where none did.
    ///
    /// Values of instances that went are erased, too.
    public var instances: [SavedInstance]?
    /// The values that changed.
    public var values: [SavedValue]
    /// Whether a store that has nothing of the session has all of it with these changes.
    public var isComplete: Bool

    /// Makes a set of changes.
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

/// The store has erased the session to make bounded for others (`limits.savedSessionsPerUser`), and the changes are not complete.
///
/// They were not saved. The next save has to hold all of the session.
public struct SessionForgotten: Error, Hashable, Sendable {
    /// Makes the error.
    public init() {}
}

/// A session whose state is larger than the store keeps (`limits.savedBytesPerSession`).
public struct SessionTooLarge: Error, Sendable, CustomStringConvertible {
    /// The limit, in bytes.
    public let limit: Int

    /// Names the limit.
    public init(limit: Int) {
        self.limit = limit
    }

    /// The fact and its remedy, for the log.
    public var description: String {
        """
        The session is not saved: its state is larger than limits.savedBytesPerSession (\(limit)), which can be raised. \
        What was saved before stays, and is what a restart restores
        """
    }
}
