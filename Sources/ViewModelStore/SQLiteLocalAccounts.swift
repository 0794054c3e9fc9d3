import FoundationEssentials
import GRDB
import ViewModelStorage

/// The local accounts in the store's file.
final class SQLiteLocalAccounts: LocalAccounts {
    private let database: DatabaseFile

    init(database: DatabaseFile) {
        self.database = database
    }

    func account(named name: String) async throws(StoreError) -> LocalAccount? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: "SELECT nickname, balance, coupons, parameters, salt, hash FROM account WHERE name = ?",
                arguments: [name.blob]
            )
            return try row.map { try LocalAccount($0, named: name) }
        }
    }

    func add(_ account: LocalAccount) async throws(StoreError) -> Bool {
        try await database.write { db in
            try Self.insert(account, db)
            return db.changesCount == 1
        }
    }

    /// Inserts an account, unless the name is taken.
    static func insert(_ account: LocalAccount, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO account (name, nickname, balance, coupons, parameters, salt, hash)
                VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
            arguments: [
                account.account.blob, account.nickname?.blob, account.balance, account.coupons,
                account.password.parameters, Data(account.password.salt), Data(account.password.hash),
            ]
        )
    }
}

extension LocalAccount {
    init(_ row: Row, named name: String) throws {
        self.init(
            account: name,
            nickname: try row.optionalText("nickname"),
            password: PasswordHash(
                parameters: try row.value("parameters"),
                salt: try row.bytes("salt"),
                hash: try row.bytes("hash")
            ),
            balance: try row.value("balance"),
            coupons: try row.value("coupons")
        )
    }
}
