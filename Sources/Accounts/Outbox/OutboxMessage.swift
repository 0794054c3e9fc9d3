package import ViewModelKit
import ViewModelStore

/// A message of the outbox, which is delivered once.
@Schemable
package struct OutboxMessage: Hashable, Identifiable, Sendable {
    /// The state of a message's delivery.
    @Schemable
    package enum Status: String, CaseIterable, Sendable {
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
    package let id: String
    /// The text.
    package let text: String
    /// The state of the delivery.
    package let status: Status
    /// The number of delivery attempts.
    package let attempts: Int
    /// The reason why the last attempt failed; null without one.
    package let problem: String?

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

/// The messages of a user at one moment, as all sessions of the user show them.
///
/// Equality compares only the revisions, in constant time. Compare only snapshots of the same user.
package struct OutboxSnapshot: Hashable, Sendable {
    /// Increases with each change; the larger of two revisions is the newer one.
    package internal(set) var revision = 0
    /// Whether the messages are in memory.
    package internal(set) var isLoaded = false
    /// The messages, oldest first.
    package internal(set) var messages: [OutboxMessage] = []

    /// Creates the snapshot of an outbox that is not in memory.
    package init() {}

    /// Returns whether two snapshots have the same revision.
    package static func == (left: OutboxSnapshot, right: OutboxSnapshot) -> Bool {
        left.revision == right.revision
    }

    /// Hashes the revision.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(revision)
    }
}
