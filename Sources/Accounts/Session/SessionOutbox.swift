import Digests
import FoundationEssentials
public import ViewModelKit
@_exported public import struct ViewModelStorage.OutboxMessage
public import ViewModelStorage

/// The outbox of the session's user: messages that are on disk until they are delivered.
///
/// A ViewModel gets it as a parameter of its `init`. All ViewModels of the session share it, and all sessions of the
/// user have the same messages. A change in another session is a step of its own here.
///
/// A message is on disk when ``add(_:retryKey:)`` returns. ``send(_:retryingFailed:attempts:deliver:)`` delivers what
/// waits. A message that was being sent when the daemon died waits again. The last 200 sent messages are kept.
///
/// The feature `.accounts` of a daemon provides it. Who delivers is up to the ViewModel:
/// ``SessionAccount/deliver(_:)`` or a closure of its own, so an outbox needs no account.
///
/// Each function updates ``messages`` before it returns. Isolation: confined to its session.
@SharedModel
public final class SessionOutbox {
    /// The maximum size of a message in bytes.
    public static let maximumBytes = 65_536

    /// All messages, oldest first.
    ///
    /// An output shows them as they are: `@Output var messages: Rows<OutboxMessage> { outbox.messages }`. The list is for
    /// reading. Change the outbox with its functions.
    public let messages: Rows<OutboxMessage>
    let outbox: UserOutbox
    let uid: UInt32
    let clock: SessionClock
    /// The number of queued messages.
    @State private(set) var queued: Int
    /// The revision of the user's messages that the session shows.
    private var revision: Int
    private let unsent: Cell<Bool>
    /// The session's name; nil in an anonymous session, whose retry keys end with its connection.
    private let sessionName: String?

    init(service: AccountService, clock: SessionClock, context: ViewModelContext) {
        let uid = context.uid
        outbox = service.outboxes[uid]
        self.uid = uid
        sessionName = context.sessionName
        self.clock = clock
        outbox.use()
        let now = outbox.snapshot
        messages = ListCell(now.messages)
        queued = now.queued
        revision = now.revision
        unsent = Cell(now.hasUnsent)
        unsent.follow(outbox.changed.stream()) { [weak self] _ in
            self?.update()
            return nil
        }
    }

    /// Whether a message is queued or has failed.
    public var hasUnsent: Bool { unsent.value }

    /// Adds a message, which is on disk on return.
    ///
    /// - Parameters:
    ///   - text: the text, at most ``maximumBytes``.
    ///   - retryKey: the action's `execution.retryKey`. A call that is repeated with this key in a session of the same name,
    ///     after the daemon has died or the store has not answered, then finds the message of the first one.
    /// - Returns: the message. Its id is the key with which a server detects a repetition.
    /// - Throws: `InvalidValue` if the text is too long; `LimitExceeded` if the user has `limits.outboxItemsPerUser` or
    ///   `limits.outboxBytesPerUser` unsent messages; an error of the store.
    @discardableResult
    public func add(_ text: String, retryKey: String? = nil) async throws -> OutboxMessage {
        try Self.checkLength(of: text)
        let id = retryKey.flatMap { repeatedID(of: text, retryKey: $0) }
        return try await updated { try await outbox.add(text, id: id) }
    }

    /// Makes the id of a message that a call with a retry key adds, the same for a repeated call of the action.
    private func repeatedID(of text: String, retryKey: String) -> String? {
        guard let sessionName, let action = Activity.current?.name else { return nil }
        var hash = SHA256()
        for part in ["\(uid)", sessionName, action, retryKey, text] {
            hash.update(Array("\(part.utf8.count) \(part)".utf8))
        }
        return hash.finalize().prefix(16).hexadecimal
    }

    /// Adds a message whose text is a value as JSON, for example an enum of the kinds of messages.
    ///
    /// ``OutboxMessage/decoded(as:)`` returns the value again.
    ///
    /// - Parameters:
    ///   - value: the value, whose JSON has at most ``maximumBytes``.
    ///   - retryKey: as in ``add(_:retryKey:)``.
    /// - Returns: the message.
    /// - Throws: the errors of ``add(_:retryKey:)``; `EncodingError`.
    @discardableResult
    public func add(encoding value: some Encodable, retryKey: String? = nil) async throws -> OutboxMessage {
        let encoder = JSONEncoder()
        // A repeated call must have the text of the first one, also in another process.
        encoder.outputFormatting = .sortedKeys
        return try await add(String(decoding: try encoder.encode(value), as: UTF8.self), retryKey: retryKey)
    }

    /// Checks the length of a text before it becomes a message, for example that of a draft.
    ///
    /// - Throws: `InvalidValue` if the text has more than ``maximumBytes``.
    public static func checkLength(of text: String) throws {
        try text.checkLength(atMost: maximumBytes)
    }

    /// Removes a message at once from the list, and soon afterwards from the disk.
    ///
    /// A message that another session has begun to send in this moment returns to the list.
    ///
    /// - Parameter id: the message's id.
    /// - Throws: `InvalidValue` if no message has this id, or if the message is being sent.
    public func remove(_ id: String) throws {
        guard let message = outbox.message(id) else {
            throw InvalidValue(expected: "the id of an item", value: id)
        }
        guard message.status != .sending else {
            throw InvalidValue(expected: "an item that is not being sent", value: id)
        }
        outbox.remove(id)
        update()
    }

    // MARK: Updates

    /// Runs `body`, then shows what it has changed before the service's stream delivers it, also after an error.
    func updated<Result>(_ body: () async throws -> Result) async throws -> Result {
        defer { update() }
        return try await reportingStore(body)
    }

    /// Shows the changes since the last call, which the service's stream may deliver in a later step.
    func update() {
        guard let changes = outbox.changes(since: revision) else { return }
        revision = changes.revision
        queued = changes.queued
        if let all = changes.messages { messages.replaceAll(with: all) }
        for edit in changes.edits { apply(edit) }
        unsent.value = changes.hasUnsent
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
}
