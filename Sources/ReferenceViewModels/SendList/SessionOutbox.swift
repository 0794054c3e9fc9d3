import Accounts
import ViewModelKit

/// The outbox of the session's user, shared by the session's ViewModels.
///
/// Isolation: confined to its session.
final class SessionOutbox {
    /// The maximum size of a message in bytes.
    private static let longestText = 65_536
    let service: OutboxService
    let uid: UInt32
    /// The current messages.
    ///
    /// All ViewModels of the session share one list, so that its edits are computed once for each change.
    let messages: ListCell<OutboxMessage>
    /// Whether a message is queued or has failed, computed once for all ViewModels of the session.
    private let unsent: Signal<Bool>
    private let newest: NewestSnapshot<OutboxSnapshot>
    /// Keeps the outbox in memory while the session lives.
    private let use: OutboxLease

    init(service: OutboxService, uid: UInt32) {
        self.service = service
        self.uid = uid
        use = service.use(of: uid)
        let now = service.snapshot(of: uid)
        let messages = ListCell(now.messages)
        self.messages = messages
        unsent = messages.map { $0.contains { $0.status == .queued || $0.status == .failed } }
        let newest = NewestSnapshot(after: now) { service.snapshot(of: uid) }
        self.newest = newest
        messages.follow(service.snapshots(of: uid)) { newest.newer($0)?.messages }
    }

    /// Whether a message is queued or has failed.
    var hasUnsent: Bool { unsent.value }

    /// Updates the messages in this step, before the service's stream delivers the change.
    func updateNow() {
        if let outbox = newest.newer() { messages.replaceAll(with: outbox.messages) }
    }

    /// Adds a message, stores it on disk and shows it.
    ///
    /// - Throws: `InvalidValue` if the text is too long; `LimitExceeded` if the outbox is full; the store's error.
    func add(_ text: String) async throws -> OutboxMessage {
        try Self.checkLength(of: text)
        do {
            let message = try await service.add(text, of: uid)
            updateNow()
            return message
        } catch {
            throw error
        }
    }

    /// Throws `InvalidValue` if a text is too long for a message.
    static func checkLength(of text: String) throws {
        try TextLength.check(text, atMost: longestText)
    }

    /// Throws `InvalidValue` if no item has this id or the item is being sent.
    func checkRemoval(of id: String) throws {
        guard let message = service.snapshot(of: uid).messages.first(where: { $0.id == id }) else {
            throw InvalidValue(expected: "the id of an item", value: id)
        }
        guard message.status != .sending else {
            throw InvalidValue(expected: "an item that is not being sent", value: id)
        }
    }

    /// Removes a message at once from the shown list, and soon afterwards from the store.
    func remove(_ id: String) {
        service.remove(id, of: uid)
        updateNow()
    }
}
