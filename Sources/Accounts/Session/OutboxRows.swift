import ViewModelKit
import ViewModelStorage

/// The messages of the user as the rows of a session, which follow the service by its edits.
///
/// The service's stream delivers a change in a later step. Code that needs the change in this step calls ``update()``.
///
/// Isolation: confined to its session.
final class OutboxRows {
    let messages: ListCell<OutboxMessage>
    /// Whether a message is queued or has failed, counted once for all ViewModels of the session.
    let hasUnsent: Cell<Bool>
    /// The number of queued messages.
    private(set) var queued = 0
    private let outbox: UserOutbox
    private var revision: Int

    /// Creates the rows in the wiring of a session, and follows the service.
    init(_ outbox: UserOutbox) {
        self.outbox = outbox
        let now = outbox.snapshot
        messages = ListCell(now.messages)
        queued = now.queued
        hasUnsent = Cell(now.hasUnsent)
        revision = now.revision
        hasUnsent.follow(outbox.changed.stream()) { [weak self] _ in
            self?.update()
            return nil
        }
    }

    /// Shows the changes since the last call.
    func update() {
        guard let changes = outbox.changes(since: revision) else { return }
        revision = changes.revision
        queued = changes.queued
        switch changes.content {
        case .edits(let edits): for edit in edits { apply(edit) }
        case .messages(let all): messages.replaceAll(with: all)
        }
        hasUnsent.value = changes.hasUnsent
    }

    private func apply(_ edit: ListEdit<OutboxMessage>) {
        switch edit {
        case .insert(let message, messages.count): messages.append(message)
        case .insert(let message, let index): messages.insert(message, at: index)
        case .remove(let index): messages.remove(at: index)
        case .replace(let message, let index): messages.replace(message, at: index)
        case .move(let source, let target): messages.move(from: source, to: target)
        }
    }

    func message(_ id: String) -> OutboxMessage? { messages.index(of: id).map { messages[$0] } }
}
