import Accounts

extension SendList {
    /// What `add` gives.
    struct Added: Codable {
        /// The new item's id.
        let id: String
    }

    /// What `send` gives.
    struct Sent: Codable {
        /// How many items the backend took.
        var sent = 0
        /// How many were given up.
        var failed = 0
    }

    /// What `retry` takes.
    struct ItemID: Codable {
        /// The id of a failed item.
        let id: String
    }

    /// What `retry` gives.
    struct Retried: Codable {
        /// What became of the item.
        let status: OutboxMessage.Status
    }
}
