package import ViewModelHost

/// All records of a store, as they are copied to another one.
///
/// Times are microseconds since 1970. The records of a kind are in the store's order, or sorted by their names, so equal
/// stores have equal records.
package struct StoreRecords: Equatable, Sendable {
    /// The accounts that the daemon itself keeps.
    package var accounts: [LocalAccount] = []
    /// The encrypted tokens.
    package var tokens: [VaultRow] = []
    /// The keys that the tokens need.
    package var keys: [VaultKeyRecord] = []
    /// The cached account pages.
    package var pages: [Page] = []
    /// The messages to be delivered, and the last sent ones; none of them is being sent.
    package var items: [Item] = []
    /// The saved sessions.
    package var sessions: [Session] = []
    /// The values that are kept for users and for the daemon.
    package var values: [ValueArea: [SavedValue.Key: [UInt8]]] = [:]

    /// Creates no records.
    package init() {}

    /// Whether there is nothing to copy.
    package var isEmpty: Bool { self == StoreRecords() }

    /// A cached page.
    package struct Page: Equatable, Sendable {
        /// The user.
        package var uid: UInt32
        /// The page as JSON text.
        package var value: [UInt8]
        /// The entity tag.
        package var etag: String?
        /// The time of the last response or confirmation.
        package var fetchedAt: Int64

        /// Creates a page from its parts.
        package init(uid: UInt32, value: [UInt8], etag: String?, fetchedAt: Int64) {
            self.uid = uid
            self.value = value
            self.etag = etag
            self.fetchedAt = fetchedAt
        }
    }

    /// A message.
    package struct Item: Equatable, Sendable {
        /// The user.
        package var uid: UInt32
        /// The message; `sending` becomes `queued`.
        package var item: OutboxItem
        /// The position among all sent items, from 1; nil for an item that was not sent.
        package var sentOrder: Int64?

        /// Creates an item from its parts.
        package init(uid: UInt32, item: OutboxItem, sentOrder: Int64?) {
            self.uid = uid
            self.item = item.status == .sending ? item.queued : item
            self.sentOrder = sentOrder
        }
    }

    /// A saved session.
    package struct Session: Equatable, Sendable {
        /// The session.
        package var key: SessionKey
        /// The time of the last use.
        package var usedAt: Int64
        /// What is saved of it.
        package var saved: SavedSession

        /// Creates a session from its parts.
        package init(key: SessionKey, usedAt: Int64, saved: SavedSession) {
            self.key = key
            self.usedAt = usedAt
            self.saved = saved
        }
    }
}

extension StoreRecords {
    /// Sorts the records, and numbers the sent items from 1, so that equal stores have equal records.
    package func normalized() -> StoreRecords {
        var records = self
        records.accounts.sort { $0.account < $1.account }
        records.tokens.sort { ($0.uid, $0.provider) < ($1.uid, $1.provider) }
        records.keys.sort { $0.id < $1.id }
        records.pages.sort { $0.uid < $1.uid }
        records.sessions.sort { ($0.key.uid, $0.key.name) < ($1.key.uid, $1.key.name) }
        let sent = records.items.indices.filter { records.items[$0].sentOrder != nil }
            .sorted { (records.items[$0].sentOrder ?? 0) < (records.items[$1].sentOrder ?? 0) }
        for (number, index) in sent.enumerated() { records.items[index].sentOrder = Int64(number + 1) }
        return records
    }
}

extension OutboxItem {
    /// The item after the death of its sender.
    fileprivate var queued: OutboxItem {
        OutboxItem(id: id, text: text, status: .queued, attempts: attempts, problem: problem)
    }
}
