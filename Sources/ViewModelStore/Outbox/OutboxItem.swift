/// A message to be delivered once.
public struct OutboxItem: Identifiable, Equatable, Sendable {
    /// The state of the delivery.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// The item waits for a sender.
        case queued
        /// A sender has claimed the item.
        case sending
        /// The backend accepted the item.
        case sent
        /// The delivery was given up. The item can be queued again.
        case failed
    }

    /// The id for the backend (`Idempotency-Key`) and for clients: 32 hexadecimal digits that cannot be guessed.
    public let id: String
    /// The text of the message.
    public let text: String
    /// The state of the delivery.
    public let status: Status
    /// The number of attempts since a person queued the item.
    public let attempts: Int
    /// The reason why the last attempt failed, for people.
    public let problem: String?
}
