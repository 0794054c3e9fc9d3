package import ViewModelKit

/// The messages of a user in memory, with the edits that sessions still have to make.
struct OutboxContent {
    /// The number of newest edits that are always kept.
    ///
    /// The others are dropped when there are twice as many. A session that needs a dropped edit gets all messages.
    private static let keptEdits = 1024

    /// Whether the messages are in memory.
    private(set) var isLoaded = false
    /// The number of queued messages.
    private(set) var queued = 0
    /// The number of failed messages.
    private(set) var failed = 0
    /// The bytes of all texts.
    private(set) var bytes = 0
    private var list = IndexedList<OutboxMessage>()
    private var edits: [ListEdit<OutboxMessage>] = []
    /// The revision before the first of ``edits``; each edit is one revision.
    private var oldestRevision = 0

    /// Increases with each change.
    var revision: Int { oldestRevision + edits.count }
    /// The messages, oldest first.
    var messages: [OutboxMessage] { list.elements }

    /// Returns the message with this id, or nil.
    func message(_ id: String) -> OutboxMessage? { list.index(of: id).map { list.elements[$0] } }

    /// Appends a message, unless one with its id is there.
    mutating func append(_ message: OutboxMessage) {
        guard list.index(of: message.id) == nil else { return }
        count(message, by: 1)
        record(.insert(message, at: list.elements.count))
        list.append(message)
    }

    /// Replaces the message with the same id.
    ///
    /// - Returns: whether there is one.
    mutating func replace(_ message: OutboxMessage) -> Bool {
        guard let index = list.index(of: message.id) else { return false }
        let former = list.elements[index]
        guard former != message else { return true }
        count(former, by: -1)
        count(message, by: 1)
        list.replace(message, at: index)
        record(.replace(message, at: index))
        return true
    }

    /// Removes the message with this id if there is one.
    mutating func remove(_ id: String) {
        guard let index = list.index(of: id) else { return }
        count(list.remove(at: index), by: -1)
        record(.remove(at: index))
    }

    /// Replaces all messages, unless they are equal.
    mutating func load(_ messages: [OutboxMessage]) {
        guard !isLoaded || !areExactlyEqual(messages, list.elements) else { return }
        reset(to: messages, isLoaded: true)
    }

    /// Releases the messages.
    mutating func unload() {
        reset(to: [], isLoaded: false)
    }

    /// Returns the changes after a revision, or nil if there are none.
    func changes(since revision: Int) -> OutboxChanges? {
        guard revision != self.revision else { return nil }
        let isKnown = (oldestRevision...self.revision).contains(revision)
        return OutboxChanges(
            revision: self.revision,
            queued: queued,
            hasUnsent: queued + failed > 0,
            content: isKnown ? .edits(Array(edits[(revision - oldestRevision)...])) : .messages(messages)
        )
    }

    private mutating func reset(to messages: [OutboxMessage], isLoaded: Bool) {
        self.isLoaded = isLoaded
        oldestRevision = revision + 1
        edits = []
        list = IndexedList(messages)
        (queued, failed, bytes) = (0, 0, 0)
        for message in messages { count(message, by: 1) }
    }

    private mutating func record(_ edit: ListEdit<OutboxMessage>) {
        if edits.count >= 2 * Self.keptEdits {
            oldestRevision += edits.count - Self.keptEdits
            edits.removeFirst(edits.count - Self.keptEdits)
        }
        edits.append(edit)
    }

    private mutating func count(_ message: OutboxMessage, by change: Int) {
        bytes += change * message.text.utf8.count
        if message.status == .queued { queued += change }
        if message.status == .failed { failed += change }
    }
}

/// The changes of a user's messages between two revisions.
package struct OutboxChanges: Sendable {
    /// What a session changes in its list.
    package enum Content: Sendable {
        /// Makes the edits in their order.
        case edits([ListEdit<OutboxMessage>])
        /// Replaces all messages.
        case messages([OutboxMessage])
    }

    /// The later revision.
    package let revision: Int
    /// The number of queued messages.
    package let queued: Int
    /// Whether a message is queued or has failed.
    package let hasUnsent: Bool
    /// What a session changes.
    package let content: Content
}
