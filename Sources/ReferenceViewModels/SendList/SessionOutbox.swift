import Accounts
import ViewModelKit

/// The outbox of the session's user, as a value that the session's ViewModels share.
///
/// Isolation: confined to its session.
final class SessionOutbox {
    /// The bytes that a message may have.
    private static let longestText = 65_536
    let service: OutboxService
    let uid: UInt32
    /// The messages now.
    let messages: Signal<[OutboxMessage]>
    private let asked: Cell<OutboxSnapshot>
    /// Keeps the outbox in memory while the session lives.
    private let use: OutboxUse

    init(service: OutboxService, uid: UInt32) {
        self.service = service
        self.uid = uid
        use = service.use(of: uid)
        let told = Cell(service.snapshot(of: uid))
        let asked = Cell(told.untracked)
        self.asked = asked
        // What was told may still be on its way when something newer has been asked for.
        messages = Derived { (told.value.revision > asked.value.revision ? told.value : asked.value).messages }
        told.follow(service.snapshots(of: uid))
    }

    /// Shows in this step what has happened to the outbox so far, before it is told.
    func catchUp() {
        let now = service.snapshot(of: uid)
        if now.revision > asked.untracked.revision { asked.value = now }
    }

    /// Adds a message; it is on disk, and shown, when this returns.
    ///
    /// - Throws: `InvalidValue` where the text is too long; `LimitExceeded` where the outbox is full; the store's error.
    func add(_ text: String) async throws -> OutboxMessage {
        try Self.checkLength(of: text)
        do {
            let message = try await service.add(text, of: uid)
            catchUp()
            return message
        } catch {
            throw error
        }
    }

    /// Refuses a text that is too long for a message.
    static func checkLength(of text: String) throws {
        guard text.utf8.count <= longestText else {
            throw InvalidValue(expected: "a text of at most \(longestText) bytes", found: "\(text.utf8.count) bytes")
        }
    }

    /// Refuses an id that cannot be removed.
    func checkRemoval(of id: String) throws {
        guard let message = service.snapshot(of: uid).messages.first(where: { $0.id == id }) else {
            throw InvalidValue(expected: "the id of an item", found: id)
        }
        guard message.status != .sending else {
            throw InvalidValue(expected: "an item that is not being sent", found: id)
        }
    }

    /// Removes a message: at once from what is shown, soon from the store.
    func remove(_ id: String) {
        service.remove(id, of: uid)
        catchUp()
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
