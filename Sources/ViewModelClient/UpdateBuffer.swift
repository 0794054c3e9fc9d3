import DequeModule
import ViewModelProtocol

/// The updates of a binding that its reader has not read yet.
///
/// The type is a value without I/O. It holds up to `limit` updates. Beyond the limit it merges a new update into the
/// last one, so that a slow reader costs bounded memory. A merged update keeps the newest 1024 events, as the daemon
/// does.
struct UpdateBuffer {
    private static let mergedEvents = 1024

    private var updates: Deque<BindingUpdate> = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    mutating func append(_ update: BindingUpdate) {
        guard updates.count >= limit, let last = updates.popLast() else {
            updates.append(update)
            return
        }
        var merged = update
        merged.isFull = last.isFull || update.isFull
        merged.change = last.change.followed(by: update.change)
        let excess = merged.change.events.count - Self.mergedEvents
        if excess > 0 {
            merged.change.events.removeFirst(excess)
            merged.change.lost += excess
        }
        updates.append(merged)
    }

    mutating func popFirst() -> BindingUpdate? { updates.popFirst() }
}
