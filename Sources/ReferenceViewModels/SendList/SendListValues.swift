import Accounts

extension SendList {
    /// The result of `add`.
    struct Added: Codable {
        /// The new item's id.
        let id: String
    }

    /// The result of `send`.
    struct Sent: Codable {
        /// The number of items that the backend accepted.
        var sent = 0
        /// The number of items that failed.
        var failed = 0
    }

    /// The parameter of `retry`.
    struct ItemID: Codable {
        /// The id of a failed item.
        let id: String
    }

    /// The result of `retry`.
    struct Retried: Codable {
        /// The item's status after the attempt.
        let status: OutboxMessage.Status
    }
}
