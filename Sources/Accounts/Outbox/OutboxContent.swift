import OrderedCollections
package import ViewModelKit
package import ViewModelStorage

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
    private(set) var failed = 0
    private var list: OrderedDictionary<String, OutboxMessage> = [:]
    private var edits: [ListEdit<OutboxMessage>] = []
    /// The revision before the first of ``edits``; each edit is one revision.
    private var oldestRevision = 0

    /// Whether a message is queued or has failed.
    var hasUnsent: Bool { queued + failed > 0 }
    /// Increases with each change.
    var revision: Int { oldestRevision + edits.count }
    var messages: [OutboxMessage] { list.values.elements }

    func message(_ id: String) -> OutboxMessage? { list[id] }

    /// Appends a message, unless one with its id is there.
    mutating func append(_ message: OutboxMessage) {
        guard list[message.id] == nil else { return }
        count(message, by: 1)
        record(.insert(message, at: list.count))
        list[message.id] = message
    }

    /// Replaces the message with the same id.
    ///
    /// - Returns: whether there is one.
    mutating func replace(_ message: OutboxMessage) -> Bool {
        guard let index = list.index(forKey: message.id) else { return false }
        let former = list.values[index]
        guard former != message else { return true }
        count(former, by: -1)
        count(message, by: 1)
        list.values[index] = message
        record(.replace(message, at: index))
        return true
    }

    mutating func remove(_ id: String) {
        guard let index = list.index(forKey: id) else { return }
        count(list.remove(at: index).value, by: -1)
        record(.remove(at: index))
    }

    /// Replaces all messages, unless they are equal.
    mutating func load(_ messages: [OutboxMessage]) {
        guard !isLoaded || !areExactlyEqual(messages, self.messages) else { return }
        isLoaded = true
        oldestRevision = revision + 1
        edits = []
        list = OrderedDictionary(messages.map { ($0.id, $0) }) { $1 }
        (queued, failed) = (0, 0)
        for message in messages { count(message, by: 1) }
    }

    /// Returns the changes after a revision, or nil if there are none.
    func changes(since revision: Int) -> OutboxChanges? {
        guard revision != self.revision else { return nil }
        let isKnown = (oldestRevision...self.revision).contains(revision)
        return OutboxChanges(
            revision: self.revision,
            queued: queued,
            hasUnsent: hasUnsent,
            edits: isKnown ? Array(edits[(revision - oldestRevision)...]) : [],
            messages: isKnown ? nil : messages
        )
    }

    private mutating func record(_ edit: ListEdit<OutboxMessage>) {
        if edits.count >= 2 * Self.keptEdits {
            oldestRevision += edits.count - Self.keptEdits
            edits.removeFirst(edits.count - Self.keptEdits)
        }
        edits.append(edit)
    }

    private mutating func count(_ message: OutboxMessage, by change: Int) {
        if message.status == .queued { queued += change }
        if message.status == .failed { failed += change }
    }
}

/// The changes of a user's messages between two revisions.
package struct OutboxChanges: Sendable {
    package let revision: Int
    /// The number of queued messages.
    package let queued: Int
    /// Whether a message is queued or has failed.
    package let hasUnsent: Bool
    package let edits: [ListEdit<OutboxMessage>]
    /// All messages, for a session that lacks an edit which is not kept any more; else nil.
    package let messages: [OutboxMessage]?
}
