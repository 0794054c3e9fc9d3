import Accounts
import ViewModelKit

/// The outbox of the session's user, as a value that the session's ViewModels share.
///
/// Isolation: confined to its session.
final class SessionOutbox {
    let service: OutboxService
    let uid: UInt32
    /// The messages now, without those that are being removed.
    let messages: Signal<[OutboxMessage]>
    private let snapshot: Signal<OutboxSnapshot>
    private let asked: Cell<OutboxSnapshot>
    /// What is being removed, as it was then: should it be sent meanwhile, it is shown again.
    private let removed: Cell<[String: OutboxMessage]>

    init(service: OutboxService, uid: UInt32) {
        self.service = service
        self.uid = uid
        let told = Cell(service.snapshot(of: uid))
        let asked = Cell(told.untracked)
        let removed = Cell<[String: OutboxMessage]>([:])
        // What was told may still be on its way when something newer has been asked for.
        let snapshot = Derived { told.value.revision > asked.value.revision ? told.value : asked.value }
        self.asked = asked
        self.removed = removed
        self.snapshot = snapshot
        messages = Derived { snapshot.value.messages.filter { removed.value[$0.id] != $0 } }
        told.follow(service.snapshots(of: uid))
    }

    /// Shows in this step what has happened to the outbox so far, before it is told.
    func catchUp() {
        let now = service.snapshot(of: uid)
        if now.revision > asked.untracked.revision { asked.value = now }
    }

    func message(_ id: String) -> OutboxMessage? {
        messages.untracked.first { $0.id == id }
    }

    /// Refuses an id that cannot be removed.
    func checkRemoval(of id: String) throws {
        catchUp()
        // What has not been read yet is decided by the store.
        guard snapshot.untracked.isLoaded else { return }
        guard let message = message(id) else {
            throw InvalidValue(expected: "the id of an item", found: id)
        }
        guard message.status != .sending else {
            throw InvalidValue(expected: "an item that is not being sent", found: id)
        }
    }

    /// Removes a message: at once from what is shown, soon from the store.
    func remove(_ id: String) {
        removed.value[id] = message(id)
        service.remove(id, of: uid)
    }
}

extension ViewModelContext {
    /// The outbox of the session's user.
    ///
    /// - Throws: `MissingService` where the catalog provides no `OutboxService`.
    func outbox() throws -> SessionOutbox {
        let service = try service(OutboxService.self)
        return shared { SessionOutbox(service: service, uid: uid) }
    }
}
