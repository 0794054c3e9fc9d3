/// Where a host keeps what named sessions leave behind; the implementation is another target's.
///
/// Isolation: called from anywhere; never blocks the caller's thread.
package protocol Store: Sendable {
    /// What was saved of a session, or nil.
    func load(_ key: SessionKey) async throws -> SavedSession?

    /// Saves what changed; returns when it would outlast a power failure.
    func save(_ changes: SessionChanges) async throws

    /// Erases what was saved of a session; without effect where nothing was.
    func erase(_ key: SessionKey) async throws

    /// Takes note that somebody is attached to the session, so that it counts as used from now on.
    func touch(_ key: SessionKey) async throws

    /// Erases the sessions that nobody has been attached to for so many days.
    func eraseUnused(forDays days: Int) async throws
}

/// Names a session for ever: its user and its name.
package struct SessionKey: Hashable, Sendable {
    package let uid: UInt32
    package let name: String

    package init(uid: UInt32, name: String) {
        self.uid = uid
        self.name = name
    }
}

/// What is kept of a session.
package struct SavedSession: Equatable, Sendable {
    /// The instances in the order of their making, children left out.
    package var instances: [SavedInstance]
    /// JSON texts of the restorable values, by the owner's instance id (`""` for the session's own) and the value's name.
    package var values: [SavedValue.Place: [UInt8]]

    package init(instances: [SavedInstance] = [], values: [SavedValue.Place: [UInt8]] = [:]) {
        self.instances = instances
        self.values = values
    }
}

/// An instance that comes back.
package struct SavedInstance: Equatable, Sendable {
    package let id: String
    package let type: String
    /// The JSON text of the arguments that it was opened with, if there were any.
    package let arguments: [UInt8]?

    package init(id: String, type: String, arguments: [UInt8]?) {
        self.id = id
        self.type = type
        self.arguments = arguments
    }
}

/// A restorable value and its place.
package struct SavedValue: Equatable, Sendable {
    /// Where a value belongs.
    package struct Place: Hashable, Sendable {
        /// The id of the instance, `""` for what the session's ViewModels share.
        package let owner: String
        package let name: String

        package init(owner: String, name: String) {
            self.owner = owner
            self.name = name
        }
    }

    package let place: Place
    /// JSON text; nil when the value is no more.
    package let text: [UInt8]?

    package init(place: Place, text: [UInt8]?) {
        self.place = place
        self.text = text
    }
}

/// What changed in a session since it was saved last.
package struct SessionChanges: Equatable, Sendable {
    package let key: SessionKey
    /// All instances, where some came or went; nil where none did.
    ///
    /// Values of instances that went are erased, too.
    package var instances: [SavedInstance]?
    package var values: [SavedValue]

    package init(key: SessionKey, instances: [SavedInstance]? = nil, values: [SavedValue] = []) {
        self.key = key
        self.instances = instances
        self.values = values
    }
}
