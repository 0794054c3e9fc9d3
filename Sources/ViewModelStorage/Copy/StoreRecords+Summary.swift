import Digests
import FoundationEssentials
import ViewModelHost

extension StoreRecords {
    /// The number of the records of a kind, and a digest of their content.
    package struct Summary: Equatable, Sendable {
        /// The kind, for people.
        package let kind: String
        /// The number of the records.
        package let count: Int
        /// The first 16 hexadecimal digits of the SHA-256 of the records.
        package let digest: String
    }

    /// What the store has of each kind.
    package var summaries: [Summary] {
        [
            Self.summary("accounts", accounts) { account, hash in
                hash.add(account.account)
                hash.add(account.nickname)
                hash.add(account.balance)
                hash.add(account.coupons)
                hash.add(account.password.parameters)
                hash.add(account.password.salt)
                hash.add(account.password.hash)
            },
            Self.summary("tokens", tokens) { row, hash in
                hash.add(row.uid)
                hash.add(row.provider)
                hash.add(row.token.keyID)
                hash.add(Array(row.token.sealed))
            },
            Self.summary("keys of tokens", keys) { key, hash in
                hash.add(key.id)
                hash.add(key.origin?.rawValue)
            },
            Self.summary("cached pages", pages) { page, hash in
                hash.add(page.uid)
                hash.add(page.value)
                hash.add(page.etag)
                hash.add(page.fetchedAt)
            },
            Self.summary("outbox items", items) { item, hash in
                hash.add(item.uid)
                hash.add(item.item.id)
                hash.add(item.item.text)
                hash.add(item.item.status.rawValue)
                hash.add(item.item.attempts)
                hash.add(item.item.problem)
                hash.add(item.sentOrder ?? 0)
            },
            Self.summary("sessions", sessions) { session, hash in
                hash.add(session.key.uid)
                hash.add(session.key.name)
                hash.add(session.usedAt)
                hash.add(session.saved.instances.count)
                for instance in session.saved.instances {
                    hash.add(instance.id)
                    hash.add(instance.type)
                    hash.add(instance.arguments)
                }
                hash.add(session.saved.values)
            },
            Self.summary("users with values", values.sorted { $0.key.number < $1.key.number }) { area, hash in
                hash.add(area.key.number)
                hash.add(area.value)
            },
        ]
    }

    private static func summary<Record>(
        _ kind: String,
        _ records: [Record],
        _ add: (Record, inout RecordHash) -> Void
    ) -> Summary {
        var hash = RecordHash()
        for record in records { add(record, &hash) }
        return Summary(kind: kind, count: records.count, digest: hash.digits)
    }
}

/// A hash of fields, each of which begins with its length.
private struct RecordHash {
    private var hash = SHA256()

    mutating func add(_ bytes: [UInt8]?) {
        withUnsafeBytes(of: Int64(bytes?.count ?? -1).bigEndian) { hash.update(Array($0)) }
        if let bytes { hash.update(bytes) }
    }

    mutating func add(_ text: String?) {
        add(text.map { Array($0.utf8) })
    }

    mutating func add(_ number: some BinaryInteger) {
        withUnsafeBytes(of: Int64(clamping: number).bigEndian) { hash.update(Array($0)) }
    }

    mutating func add(_ values: [SavedValue.Key: [UInt8]]) {
        add(values.count)
        for (key, text) in values.sorted(by: { ($0.key.owner, $0.key.name) < ($1.key.owner, $1.key.name) }) {
            add(key.owner)
            add(key.name)
            add(text)
        }
    }

    var digits: String { hash.finalize().prefix(8).hexadecimal }
}
