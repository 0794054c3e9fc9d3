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
    /// The messages now: one list for all ViewModels of the session, so that its edits are computed once for each change.
    let messages: ListCell<OutboxMessage>
    /// Whether a message is queued or has failed.
    let hasUnsent: Signal<Bool>
    /// The revision of the messages that are shown.
    private var revision: Int
    /// Keeps the outbox in memory while the session lives.
    private let use: OutboxUse

    init(service: OutboxService, uid: UInt32) {
        self.service = service
        self.uid = uid
        use = service.use(of: uid)
        let now = service.snapshot(of: uid)
        let messages = ListCell(now.messages)
        self.messages = messages
        hasUnsent = messages.map { $0.contains { $0.status == .queued || $0.status == .failed } }
        revision = now.revision
        messages.follow(service.snapshots(of: uid)) { [weak self] in self?.newer($0) }
    }

    /// Shows in this step what has happened to the outbox so far, before the service tells it.
    func catchUp() {
        if let messages = newer(service.snapshot(of: uid)) { self.messages.replaceAll(with: messages) }
    }

    /// The messages of a snapshot that is newer than what is shown, else nil.
    ///
    /// A snapshot of the service may arrive after ``catchUp()`` has shown a newer one.
    private func newer(_ snapshot: OutboxSnapshot) -> [OutboxMessage]? {
        guard snapshot.revision > revision else { return nil }
        revision = snapshot.revision
        return snapshot.messages
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
