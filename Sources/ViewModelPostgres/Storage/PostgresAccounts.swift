import ViewModelStorage

/// The accounts that the daemons themselves keep, in the shared database.
final class PostgresAccounts: LocalAccounts {
    private let database: SharedDatabase

    init(_ database: SharedDatabase) {
        self.database = database
    }

    func account(named name: String) async throws(StoreError) -> LocalAccount? {
        try await database.read(
            "SELECT nickname, balance, coupons, parameters, salt, hash FROM account WHERE name = $1",
            [.bytes(of: name)]
        ) { try $0.first.map { try LocalAccount($0, named: name) } }
    }

    func add(_ account: LocalAccount) async throws(StoreError) -> Bool {
        try await database.withTypedStoreErrors {
            // Not repeated after a lost answer: the second attempt could not tell whose account it finds.
            let rows = try await database.pool.rows(Self.insertion, Self.values(account))
            return !rows.isEmpty
        }
    }

    /// The statement that inserts an account and returns a row, unless the name is taken.
    static let insertion = """
        INSERT INTO account (name, nickname, balance, coupons, parameters, salt, hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING name
        """

    /// The parameters of ``insertion``.
    static func values(_ account: LocalAccount) -> [SQLValue] {
        [
            .bytes(of: account.account), .bytes(of: account.nickname), .text(account.balance), .text(account.coupons),
            .text(account.password.parameters), .bytes(account.password.salt), .bytes(account.password.hash),
        ]
    }
}

extension LocalAccount {
    init(_ row: SQLRow, named name: String) throws(PostgresError) {
        self.init(
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
}
