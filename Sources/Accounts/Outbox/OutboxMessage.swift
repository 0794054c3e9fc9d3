import ViewModelStore

/// A message that is to be delivered once.
public struct OutboxMessage: Codable, Hashable, Identifiable, Sendable {
    /// How far a message has come.
    public enum Status: String, Codable, CaseIterable, Sendable {
        /// It waits for someone who sends.
        case queued
        /// Somebody is sending it.
        case sending
        /// The backend has taken it.
        case sent
        /// It was given up.
        case failed
    }

    /// The message's id, which is its idempotency key, too.
    public let id: String
    /// The text.
    public let text: String
    /// How far it has come.
    public let status: Status
    /// How often its delivery was tried.
    public let attempts: Int
    /// What stood in the way the last time.
    public let problem: String?

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

/// The messages of a user at one moment, as every session of the user sees them.
///
/// Two of the same user are equal where they have the same revision; the messages are not looked at.
public struct OutboxSnapshot: Hashable, Sendable {
    /// Grows with each change, so that the newer of two can be told.
    public internal(set) var revision = 0
    /// Whether the messages have been read.
    public internal(set) var isLoaded = false
    /// The messages, the oldest first.
    public internal(set) var messages: [OutboxMessage] = []

    /// Nothing is known yet.
    public init() {}

    /// Whether they have the same revision.
    public static func == (left: OutboxSnapshot, right: OutboxSnapshot) -> Bool {
        left.revision == right.revision
    }

    /// Hashes the revision.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(revision)
    }
}
