import ViewModelKit
import ViewModelStorage

/// The outboxes of all users, as a list in memory.
struct OutboxModel {
    struct Item {
        let uid: UInt32
        var item: OutboxMessage
        /// The number of the item among the sent ones.
        var sentOrder = 0
    }

    private(set) var items: [Item] = []
    private var sent = 0

    func list(_ uid: UInt32) -> [OutboxMessage] { items.filter { $0.uid == uid }.map(\.item) }

    /// Returns the result of an addition, with the id of the item that the store has added.
    func addition(_ text: String, _ uid: UInt32, _ bounds: StoreBounds, id: String) -> OutboxAddition {
        let unsent = list(uid).filter { $0.status != .sent }
        if unsent.count >= bounds.outboxItems {
            return .failure(LimitExceeded(limit: "limits.outboxItemsPerUser", value: bounds.outboxItems))
        }
        let bytes = unsent.reduce(text.utf8.count) { $0 + $1.text.utf8.count }
        if bytes > bounds.outboxBytes {
            return .failure(LimitExceeded(limit: "limits.outboxBytesPerUser", value: bounds.outboxBytes))
        }
        return .success(OutboxMessage(id: id, text: text, status: .queued, attempts: 0, problem: nil))
    }

    mutating func append(_ item: OutboxMessage, _ uid: UInt32) { items.append(Item(uid: uid, item: item)) }

    /// Removes an item unless it is being sent, and returns whether it is.
    mutating func remove(_ id: String, _ uid: UInt32) -> Bool {
        guard let index = items.firstIndex(where: { $0.item.id == id && $0.uid == uid }) else { return false }
        if items[index].item.status == .sending { return true }
        items.remove(at: index)
        return false
    }

    /// Claims an item, or the oldest queued one.
    mutating func claim(_ id: String?, _ uid: UInt32) -> OutboxMessage? {
        let queued = items.first { $0.uid == uid && $0.item.status == .queued && (id == nil || $0.item.id == id) }
        return queued.flatMap { change($0.item.id, uid, .queued) { $0.with(.sending, problem: $0.problem) } }
    }

    mutating func countAttempt(_ id: String, _ uid: UInt32, problem: String?) -> OutboxMessage? {
        change(id, uid, .sending) { item in
            OutboxMessage(
                id: item.id,
                text: item.text,
                status: item.status,
                attempts: item.attempts + 1,
                problem: problem
            )
        }
    }

    mutating func finish(_ id: String, _ uid: UInt32, _ outcome: OutboxOutcome) -> FinishedMessage? {
        let (status, problem) = outcome.state
        guard let item = change(id, uid, .sending, { $0.with(status, problem: problem) }) else { return nil }
        return (item, status == .sent ? recordSent(id, uid) : [])
    }

    private mutating func recordSent(_ id: String, _ uid: UInt32) -> [String] {
        guard let index = items.firstIndex(where: { $0.item.id == id }) else { return [] }
        sent += 1
        items[index].sentOrder = sent
        let kept = items.filter { $0.uid == uid && $0.item.status == .sent }.sorted { $0.sentOrder > $1.sentOrder }
        let forgotten = kept.dropFirst(OutboxMessage.sentLimit).map(\.item.id)
        items.removeAll { forgotten.contains($0.item.id) }
        return forgotten
    }

    mutating func retry(_ id: String, _ uid: UInt32) -> OutboxMessage? {
        change(id, uid, .failed) { item in
            OutboxMessage(id: item.id, text: item.text, status: .queued, attempts: 0, problem: nil)
        }
    }

    mutating func retryAll(_ uid: UInt32) -> [OutboxMessage] {
        list(uid).compactMap { retry($0.id, uid) }
    }

    /// Ends all claims, as the death of a daemon does.
    mutating func endClaims() {
        for index in items.indices where items[index].item.status == .sending {
            items[index].item = items[index].item.with(.queued, problem: items[index].item.problem)
        }
    }

    private mutating func change(
        _ id: String,
        _ uid: UInt32,
        _ status: OutboxMessage.Status,
        _ body: (OutboxMessage) -> OutboxMessage
    ) -> OutboxMessage? {
        let index = items.firstIndex { $0.item.id == id && $0.uid == uid && $0.item.status == status }
        guard let index else { return nil }
        items[index].item = body(items[index].item)
        return items[index].item
    }
}

extension OutboxMessage {
    fileprivate func with(_ status: Status, problem: String?) -> OutboxMessage {
        OutboxMessage(id: id, text: text, status: status, attempts: attempts, problem: problem)
    }
}
