import Accounts
import FoundationEssentials
import GRDB
import Glibc
import JSONRPC
import Logging
import ViewModelHost
import ViewModelKit
import ViewModelStore

/// Changes rows of the store by hand, then opens the store and uses all of it.
///
/// The first letter of each line chooses a column of `Column.all`, `a` for the first one; the rest of the line is the value.
/// The store may refuse to open or to work. What it gives out can be sent to clients.
func fuzzStored(_ input: UnsafeRawBufferPointer) {
    let lines = input.split(separator: UInt8(ascii: "\n")).prefix(16).map(Array.init)
    finish {
        do {
            let sample = try await SampleStore.shared.value
            try await sample.change(lines)
            await sample.use()
        } catch {
            fatalError("the sample cannot be made: \(error)")
        }
    }
}

/// A column that a person with the right tools can change.
private struct Column: Sendable {
    enum Kind: Sendable { case integer, text, blob }

    let table: String
    let name: String
    let kind: Kind

    /// The columns by the letters from `a` on.
    static let all =
        of("cache", integers: ["uid", "fetchedAt", "freshUntil", "usedAt", "bytes"], blobs: ["value", "etag"])
        + of("cacheTotal", integers: ["bytes"])
        + of(
            "outbox",
            integers: ["position", "uid", "attempts", "sentOrder"],
            texts: ["id", "status"],
            blobs: ["text"]
        )
        + of("outboxTotal", integers: ["items", "bytes"])
        + of("account", texts: ["balance", "parameters"], blobs: ["nickname", "hash"])
        + of("session", integers: ["usedAt"])
        + of("sessionInstance", texts: ["id", "type"], blobs: ["arguments"])
        + of("sessionValue", texts: ["owner", "name"], blobs: ["text"])
        + of("vault", texts: ["keyID"], blobs: ["sealed"])

    private static func of(
        _ table: String,
        integers: [String] = [],
        texts: [String] = [],
        blobs: [String] = []
    ) -> [Column] {
        integers.map { Column(table: table, name: $0, kind: .integer) }
            + texts.map { Column(table: table, name: $0, kind: .text) }
            + blobs.map { Column(table: table, name: $0, kind: .blob) }
    }

    func value(_ bytes: [UInt8]) -> DatabaseValue? {
        switch kind {
        case .integer: Int64(String(decoding: bytes, as: UTF8.self))?.databaseValue
        case .text, .blob: Data(bytes).databaseValue
        }
    }

    /// SQLite takes the bytes of a blob for a text as they are, be they UTF-8 or not.
    var statement: String { "UPDATE \(table) SET \(name) = \(kind == .text ? "CAST(? AS TEXT)" : "?")" }
}

/// A store with a row of everything, in a directory of its own.
private struct SampleStore: Sendable {
    static let shared = Task { try await SampleStore() }
    static let uid: UInt32 = 1000
    static let key = SessionKey(uid: uid, name: "desk")

    let configuration: StateStoreConfiguration
    /// The way around the store.
    let database: DatabaseQueue
    let logger = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }

    init() async throws {
        let directory = "\(temporaryDirectory)/store-\(getpid())"
        mkdir(directory, 0o700)
        var configuration = StateStoreConfiguration(directory: directory)
        configuration.bounds.cacheBytes = 1000
        configuration.bounds.outboxItems = 4
        self.configuration = configuration

        let store = try await StateStore.open(configuration, logger: logger)
        let uid = Self.uid
        try await store.vault.store(VaultToken(access: Password("access"), account: "ada"), of: uid, provider: "http")
        try await store.cache.store(
            Array(#"{"account": "ada"}"#.utf8),
            etag: "1",
            of: uid
        )
        try await store.outbox.add("one", of: uid)
        try await store.outbox.add("two", of: uid)
        let hash = PasswordHash(parameters: "scrypt 2 1 1", salt: [1], hash: [2])
        _ = try await store.accounts.add(LocalAccount(account: "ada", password: hash))
        try await store.sessions.save(Self.changes)
        try await store.close()

        database = try DatabaseQueue(path: "\(directory)/\(StateStoreConfiguration.fileName)")
        try await database.write { db in
            for table in Set(Column.all.map(\.table)) {
                try db.execute(sql: "CREATE TEMP TABLE sound_\(table) AS SELECT * FROM main.\(table)")
            }
        }
        try await database.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON")
        }
    }

    private static let changes = SessionChanges(
        key: key,
        instances: [SavedInstance(id: "shelf", type: "shelf", arguments: nil)],
        values: [SavedValue(key: .init(owner: "shelf", name: "number"), text: [0x31])],
        isComplete: true
    )

    /// Puts the sound rows back, then changes what the lines say.
    func change(_ lines: [[UInt8]]) async throws {
        try await database.write { db in
            // The totals go first. Triggers would add to them, and SQLite refuses a sum that is too large.
            for table in Set(Column.all.map(\.table)).sorted() where table.hasSuffix("Total") {
                try db.execute(sql: "DELETE FROM \(table)")
            }
            for table in Set(Column.all.map(\.table)).sorted(by: >) {
                try db.execute(sql: "DELETE FROM \(table)")
            }
            for table in Set(Column.all.map(\.table)).sorted() {
                try db.execute(sql: "INSERT OR REPLACE INTO main.\(table) SELECT * FROM sound_\(table)")
            }
            for line in lines {
                let number = Int(line[0]) - Int(UInt8(ascii: "a"))
                guard Column.all.indices.contains(number) else { continue }
                let column = Column.all[number]
                guard let value = column.value(Array(line.dropFirst())) else { continue }
                // SQLite refuses a value that is not unique.
                try? db.execute(sql: column.statement, arguments: [value])
            }
        }
    }

    func use() async {
        guard let store = try? await StateStore.open(configuration, logger: logger) else { return }
        let uid = Self.uid
        await use(store.cache)
        await use(store.outbox)
        _ = try? await store.vault.token(of: uid, provider: "http")
        try? await store.vault.verify()
        _ = try? await store.vault.removeUnreadable()
        if let account = try? await store.accounts.account(named: "ada") {
            send([account.nickname, account.balance, account.coupons])
        }
        _ = try? await store.sessions.acquire(Self.key, .close, mayCreate: false)
        try? await store.sessions.save(Self.changes)
        try? await store.sessions.touch(Self.key)
        try? await store.sessions.eraseUnused(forDays: 1)
        try? await store.close()
    }

    private func use(_ cache: any Cache) async {
        let uid = Self.uid
        if let entry = try? await cache.entry(of: uid) {
            send(entry.fetchedAt)
            if let page = try? JSONDecoder().decode(AccountPage.self, from: Data(entry.value)) { send(page) }
        }
        _ = try? await cache.confirm(of: uid)
        _ = try? await cache.store([0x31], etag: nil, of: uid)
    }

    private func use(_ outbox: any Outbox) async {
        let uid = Self.uid
        _ = try? await outbox.size(of: uid)
        _ = try? await outbox.add("three", of: uid)
        for item in (try? await outbox.items(of: uid)) ?? [] {
            send([item.id, item.text, item.problem])
            send(item.attempts)
        }
        for outcome in [OutboxOutcome.failed(problem: "no"), .sent] {
            guard let item = try? await outbox.claim(nil, of: uid) else { continue }
            _ = try? await outbox.countAttempt(item.id, of: uid, problem: nil)
            _ = try? await outbox.finish(item.id, of: uid, outcome)
        }
        _ = try? await outbox.retry(nil, of: uid)
    }

    private func send(_ value: some Encodable) {
        var writer = JSONWriter()
        require((try? writer.encode(value)) != nil, "clients cannot be sent \(value)")
    }
}
