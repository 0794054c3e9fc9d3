import ViewModelConfiguration

/// The keys of `store`.
struct SharedStoreSettings: ConfigurationSection {
    /// The address of a PostgreSQL database, without a password.
    ///
    /// Nil selects SQLite in the state directory.
    var url: String?
    /// The path of the file with the database's password.
    ///
    /// Nil selects the systemd credential, else none.
    var passwordFile: String?
    var leaseSeconds = 10
}

/// The keys of `node`.
struct NodeSettings: ConfigurationSection {
    /// The name of this daemon among those with the same database.
    ///
    /// Nil selects the name of the host.
    var name: String?
}

extension DaemonConfiguration {
    /// The keys of `store`.
    var store: SharedStoreSettings {
        get { self[SharedStoreSettings.self] }
        set { self[SharedStoreSettings.self] = newValue }
    }
    /// The keys of `node`.
    var node: NodeSettings {
        get { self[NodeSettings.self] }
        set { self[NodeSettings.self] = newValue }
    }
}

extension ConfigurationKey {
    static let sharedStore =
        [
            ConfigurationKey(
                "store.url",
                \.store.url,
                .optional(.databaseAddress),
                isLive: false,
                """
                The address of a PostgreSQL database that several machines share, with its user and without a password: \
                postgresql://viewmodeld@db.example.org/viewmodeld?sslmode=verify-full. The default is SQLite in the state \
                directory.
                """
            ),
            ConfigurationKey(
                "store.passwordFile",
                \.store.passwordFile,
                .optional(.absolutePath(isEchoed: false)),
                isLive: false,
                """
                The file with the password of the database in its first line. The default is the systemd credential \
                viewmodeld.store-password, else no password. Only the daemon should be able to read it.
                """
            ),
            ConfigurationKey(
                "store.leaseSeconds",
                \.store.leaseSeconds,
                .integer(3...3600),
                isLive: false,
                """
                The seconds after which other machines may take over the sessions of a daemon that the database does not \
                hear from. The daemon renews its lease every third of this time.
                """
            ),
            ConfigurationKey(
                "node.name",
                \.node.name,
                .optional(.nodeName),
                isLive: false,
                "The name of this machine among those that share a database. The default is the name of the host."
            ),
        ] + vault
}

extension ValueKind<String> {
    /// The address of a PostgreSQL database, which the store parses.
    ///
    /// It is never quoted, because it may have a password in spite of the documentation.
    static let databaseAddress = text(
        "an address of PostgreSQL such as postgresql://USER@HOST/DATABASE",
        isEchoed: false,
        make: { text in ["postgresql://", "postgres://"].contains(where: text.hasPrefix) ? text : nil },
        text: { $0 }
    )

    static let nodeName = text(
        "a name of at most 64 letters, digits, dots, hyphens and underscores",
        make: { text in
            let isName = text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
            return isName && 1...64 ~= text.utf8.count ? text : nil
        },
        text: { $0 }
    )
}
