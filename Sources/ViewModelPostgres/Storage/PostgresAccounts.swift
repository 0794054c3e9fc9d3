import ViewModelStorage

/// The accounts that the daemons themselves keep, in the shared database.
struct PostgresAccounts: LocalAccounts {
    let database: SharedDatabase

    func account(named name: String) async throws(StoreError) -> LocalAccount? {
        let rows = try await database.pool.rows(
            "SELECT nickname, balance, coupons, parameters, salt, hash FROM account WHERE name = $1",
            [.bytes(of: name)]
        )
        guard let row = rows.first else { return nil }
        return LocalAccount(
            account: name,
            nickname: try row.optionalBytes("nickname").map { String(decoding: $0, as: UTF8.self) },
            password: PasswordHash(
                parameters: try row.text("parameters"),
                salt: try row.bytes("salt"),
                hash: try row.bytes("hash")
            ),
            balance: try row.text("balance"),
            coupons: try row.text("coupons")
        )
    }

    func add(_ account: LocalAccount) async throws(StoreError) -> Bool {
        // Not repeated after a lost answer: the second attempt could not know whose account it finds.
        try await !database.pool.rows(
            """
            INSERT INTO account (name, nickname, balance, coupons, parameters, salt, hash)
            VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING name
            """,
            [
                .bytes(of: account.account), .bytes(of: account.nickname), .text(account.balance),
                .text(account.coupons), .text(account.password.parameters), .bytes(account.password.salt),
                .bytes(account.password.hash),
            ],
            isIdempotent: false
        ).isEmpty
    }
}
