import Digests

/// A message to be delivered once.
package struct OutboxItem: Identifiable, Equatable, Sendable {
    /// The number of a user's sent items that are kept: those that were sent last.
    package static let sentLimit = 200

    package enum Status: String, Codable, CaseIterable, Sendable {
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
    package let id: String
    package let text: String
    package let status: Status
    /// The number of attempts since a person queued the item.
    package let attempts: Int
    /// The reason why the last attempt failed, for people.
    package let problem: String?

    package init(id: String, text: String, status: Status, attempts: Int, problem: String?) {
        self.id = id
        self.text = text
        self.status = status
        self.attempts = attempts
        self.problem = problem
    }

    /// Creates a queued item, with a new id unless one is given.
    package init(text: String, id: String? = nil) {
        let id = id ?? [UInt8].random(count: 16).hexadecimal
        self.init(id: id, text: text, status: .queued, attempts: 0, problem: nil)
    }
}
