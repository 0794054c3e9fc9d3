import Digests
import FoundationEssentials
public import ViewModelKit

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

    /// The number of a user's sent messages that are kept: those that were sent last.
    package static let sentLimit = 200

    /// The message's id, which is also its idempotency key.
    public let id: String
    /// The text.
    public let text: String
    /// The state of the delivery.
    public let status: Status
    /// The number of delivery attempts.
    public let attempts: Int
    /// The reason why the last attempt failed; null without one.
    public package(set) var problem: String?

    package init(id: String, text: String, status: Status, attempts: Int, problem: String?) {
        self.id = id
        self.text = text
        self.status = status
        self.attempts = attempts
        self.problem = problem
    }

    /// Creates a queued message, with a new id of 32 hexadecimal digits unless one is given.
    package init(text: String, id: String? = nil) {
        let id = id ?? [UInt8].random(count: 16).hexadecimal
        self.init(id: id, text: text, status: .queued, attempts: 0, problem: nil)
    }

    /// Decodes the value of a message that ``SessionOutbox/add(encoding:retryKey:)`` has added.
    ///
    /// - Parameter type: the type of the value.
    /// - Returns: the value.
    /// - Throws: `DecodingError` if the text does not fit the type.
    public func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}
