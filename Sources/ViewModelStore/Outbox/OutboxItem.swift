/// Something to be delivered once.
public struct OutboxItem: Identifiable, Equatable, Sendable {
    /// How far it has come.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// Waits for someone who sends.
        case queued
        /// Somebody has claimed it and is at it.
        case sending
        /// Was taken by the backend.
        case sent
        /// Was given up; it can be queued again.
        case failed
    }

    /// Names the item to the backend (`Idempotency-Key`) and to clients: 32 hexadecimal digits that nobody can guess.
    public let id: String
    /// What is delivered.
    public let text: String
    /// How far it has come.
    public let status: Status
    /// How often delivery was tried since it was queued by a person.
    public let attempts: Int
    /// What stood in the way the last time, in words.
    public let problem: String?
}
