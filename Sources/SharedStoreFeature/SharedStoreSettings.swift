import ViewModelConfiguration
import ViewModelKit

/// The keys of `store`.
@Schemable
struct SharedStoreSettings: ConfigurationSection {
    static let section = "store"
    static let isLive = false

    /// The address of a PostgreSQL database that several machines share, with its user and without a password:
    /// postgresql://viewmodeld@db.example.org/viewmodeld?sslmode=verify-full.
    ///
    /// The default is SQLite in the state directory.
    var url: FormText<DatabaseAddress>?
    /// The file with the password of the database in its first line.
    ///
    /// The default is the systemd credential viewmodeld.store-password, else no password. Only the daemon should be
    /// able to read it.
    var passwordFile: FormText<SecretPath>?
    /// The seconds after which other machines may take over the sessions of a daemon that the database does not hear
    /// from.
    ///
    /// The daemon renews its lease every third of this time.
    @Bounds(3...3600) var leaseSeconds = 10
}

/// The keys of `node`.
@Schemable
struct NodeSettings: ConfigurationSection {
    static let section = "node"
    static let isLive = false

    /// The name of this machine among those that share a database.
    ///
    /// The default is the name of the host.
    var name: FormText<NodeName>?
}

/// The address of a PostgreSQL database, which the store parses.
///
/// It is never quoted, because it may have a password in spite of the documentation.
enum DatabaseAddress: ConfigurableValue {
    static let kind = ValueKind.text(
        "an address of PostgreSQL such as postgresql://USER@HOST/DATABASE",
        isEchoed: false
    ) { ["postgresql://", "postgres://"].contains(where: $0.hasPrefix) }
}

enum NodeName: ConfigurableValue {
    static let kind = ValueKind.text("a name of at most 64 letters, digits, dots, hyphens and underscores") { text in
        let isName = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isName && 1...64 ~= text.utf8.count
    }
}
