import FoundationEssentials
import GRDB
import ViewModelStorage

/// The local accounts in the store's file.
struct SQLiteLocalAccounts: LocalAccounts {
    let database: DatabaseFile

    func account(named name: String) async throws(StoreError) -> LocalAccount? {
        try await database.read { db in
            let row = try Row.fetchOne(
                db,
                sql: "SELECT nickname, balance, coupons, parameters, salt, hash FROM account WHERE name = ?",
                arguments: [name.blob]
            )
            return try row.map { row in
                LocalAccount(
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
    }

    func add(_ account: LocalAccount) async throws(StoreError) -> Bool {
        try await database.write { db in
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
            return db.changesCount == 1
        }
    }
}
