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

extension OutboxMessage {
    /// Returns the message that is being sent, with the reason why its latest attempt has failed.
    func failing(because problem: String) -> OutboxMessage {
        OutboxMessage(OutboxItem(id: id, text: text, status: .sending, attempts: attempts, problem: problem))
    }

    /// Makes the id of a message that a call with a retry key adds, the same for a repeated call of an instance (`owner`).
    static func id(of text: String, retryKey: String, _ owner: String, _ uid: UInt32) -> String {
        var hash = SHA256()
        for part in ["\(uid)", owner, retryKey, text] {
            hash.update(Array("\(part.utf8.count) \(part)".utf8))
        }
        return hash.finalize().prefix(16).hexadecimal
    }
}
