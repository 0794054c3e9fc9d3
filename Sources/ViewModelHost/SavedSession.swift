/// The permanent identity of a named session: its user and its name.
package struct SessionKey: Hashable, Sendable {
    /// The uid of the user.
    package let uid: UInt32
    /// The session's name.
    package let name: String

    package init(uid: UInt32, name: String) {
        self.uid = uid
        self.name = name
    }
}

package struct SavedSession: Equatable, Sendable {
    /// The instances in the order of their creation, without children.
    package var instances: [SavedInstance]
    /// The JSON texts of the restorable values by key.
    package var values: [SavedValue.Key: [UInt8]]

    package init(instances: [SavedInstance] = [], values: [SavedValue.Key: [UInt8]] = [:]) {
        self.instances = instances
        self.values = values
    }

    /// Removes an instance with its children's and its own values.
    mutating func remove(_ id: String) {
        instances.removeAll { $0.id == id }
        values = values.filter { $0.key.owner != id && !$0.key.owner.hasPrefix("\(id).") }
    }
}

package struct SavedInstance: Equatable, Sendable {
    /// The instance's id.
    package let id: String
    /// The name of its type.
    package let type: String
    /// The JSON text of the arguments of `viewModel.open`, if there were any.
    package let arguments: [UInt8]?

    package init(id: String, type: String, arguments: [UInt8]?) {
        self.id = id
        self.type = type
        self.arguments = arguments
    }

    /// Returns the JSON text that is saved for the instance that has opened another one.
    static func text(opener id: String) -> [UInt8] { Array("\"\(id)\"".utf8) }
}

/// A restorable value with its key.
package struct SavedValue: Equatable, Sendable {
    /// The identity of a value in its session.
    package struct Key: Hashable, Sendable, CustomStringConvertible {
        /// The id of the instance, or `""` for a value of the session itself.
        package let owner: String
        /// The value's name.
        package let name: String

        package init(owner: String, name: String) {
            self.owner = owner
            self.name = name
        }

        /// The owner and the name in the code, for people.
        package var description: String { owner.isEmpty ? shownName : "\(owner).\(shownName)" }
    }

    /// The instance and the name of the value.
    package let key: Key
    /// The JSON text; nil to erase the value.
    package let text: [UInt8]?

    package init(key: Key, text: [UInt8]?) {
        self.key = key
        self.text = text
    }
}

/// A change of a value that is kept for a user or for the daemon.
package struct LastingChange: Equatable, Sendable {
    /// The object and the name of the value.
    package let key: SavedValue.Key
    /// The JSON text; nil to erase the value.
    package let text: [UInt8]?
    /// The text that this daemon has last read or saved; nil for none.
    package let known: [UInt8]?
    /// The texts of later saves that have failed.
    ///
    /// The store may have one of them nevertheless.
    package let sent: [[UInt8]]

    /// Whether another daemon has saved the stored text since this one last read or saved the value.
    package func isOlder(than stored: [UInt8]?) -> Bool {
        guard let stored else { return false }
        return stored != known && stored != text && !sent.contains(stored)
    }

    package init(key: SavedValue.Key, text: [UInt8]?, known: [UInt8]?, sent: [[UInt8]] = []) {
        self.key = key
        self.text = text
        self.known = known
        self.sent = sent
    }
}

/// The changes of a session since the last save.
package struct SessionChanges: Equatable, Sendable {
    package let key: SessionKey
    /// The fence of the session's writer.
    package let fence: SessionFence
    /// The number of the save under this fence.
    ///
    /// A store on a network does not let an earlier save follow a later one: its caller has given it up, and it may arrive
    /// nevertheless.
    package let number: Int64
    /// All instances if any was created or closed; nil if none was.
    ///
    /// The store also erases the values of closed instances.
    package var instances: [SavedInstance]?
    /// The changed values.
    package var values: [SavedValue]
    /// Whether the changes contain the whole session, so that a store without it can save them.
    package var isComplete: Bool
    /// The names of the user's sessions that live here, if ``isComplete`` is true.
    ///
    /// The store does not erase them to make room for this one.
    package var living: [String]

    package init(
        key: SessionKey,
        fence: SessionFence = .single,
        number: Int64 = 0,
        instances: [SavedInstance]? = nil,
        values: [SavedValue] = [],
        isComplete: Bool = true,
        living: [String] = []
    ) {
        self.key = key
        self.fence = fence
        self.number = number
        self.instances = instances
        self.values = values
        self.isComplete = isComplete
        self.living = living
    }

    /// Returns these changes together with earlier ones, which have not been saved.
    func following(_ earlier: SessionChanges) -> SessionChanges {
        var all = self
        all.instances = instances ?? earlier.instances
        let changed = Set(values.map(\.key))
        all.values = earlier.values.filter { !changed.contains($0.key) } + values
        all.isComplete = isComplete || earlier.isComplete
        if living.isEmpty { all.living = earlier.living }
        return all
    }
}
