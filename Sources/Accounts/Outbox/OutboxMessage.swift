import Digests
import FoundationEssentials
public import ViewModelKit
import ViewModelStorage

/// A message of the outbox, which is delivered once.
@Schemable
public struct OutboxMessage: Hashable, Identifiable, Sendable {
    /// The state of a message's delivery.
    @Schemable
    public enum Status: String, CaseIterable, Sendable {
        /// The message waits to be sent.
        case queued
        /// A session is sending the message.
        case sending
        /// The backend has accepted the message.
        case sent
        /// The delivery has failed.
        case failed
    }

    /// The message's id, which is also its idempotency key.
    public let id: String
    /// The text.
    public let text: String
    /// The state of the delivery.
    public let status: Status
    /// The number of delivery attempts.
    public let attempts: Int
    /// The reason why the last attempt failed; null without one.
    public let problem: String?

    /// Decodes the value of a message that ``SessionOutbox/add(encoding:)`` has added.
    ///
    /// - Parameter type: the type of the value.
    /// - Returns: the value.
    /// - Throws: `DecodingError` if the text does not fit the type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }

    init(_ item: OutboxItem) {
        id = item.id
        text = item.text
        attempts = item.attempts
        problem = item.problem
        status =
            switch item.status {
            case .queued: .queued
            case .sending: .sending
            case .sent: .sent
            case .failed: .failed
            }
    }
}

/// The messages of a user at one moment.
package struct OutboxSnapshot: Sendable {
    /// Increases with each change; the larger of two revisions is the newer one.
    package let revision: Int
    /// Whether the messages are in memory.
    package let isLoaded: Bool
    /// The messages, oldest first.
    package let messages: [OutboxMessage]
    /// The number of queued messages.
    package let queued: Int
    /// Whether a message is queued or has failed.
    package let hasUnsent: Bool

    init(_ content: OutboxContent) {
        revision = content.revision
        isLoaded = content.isLoaded
        messages = content.messages
        queued = content.queued
        hasUnsent = content.queued + content.failed > 0
    }
}

extension OutboxMessage {
    /// Returns the message that is being sent, with the reason why its latest attempt has failed.
    func failing(because problem: String) -> OutboxMessage {
        OutboxMessage(OutboxItem(id: id, text: text, status: .sending, attempts: attempts, problem: problem))
    }

    /// Makes the id of a message that a call with a retry key adds.
    ///
    /// - Parameters:
    ///   - text: the message.
    ///   - retryKey: the key.
    ///   - owner: the session and the instance of the call.
    ///   - uid: the user.
    /// - Returns: 32 hexadecimal digits, the same for a repeated call.
    static func id(of text: String, retryKey: String, _ owner: String, _ uid: UInt32) -> String {
        var hash = SHA256()
        for part in ["\(uid)", owner, retryKey, text] {
            hash.update(Array("\(part.utf8.count) \(part)".utf8))
        }
        return hash.finalize().prefix(16).hexadecimal
    }
}
