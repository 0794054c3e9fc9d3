import ViewModelStorage

/// The errors of the shared database.
///
/// Their text names the database and the remedy. It contains neither a password nor a statement's values.
extension StoreError {
    /// Whether a concurrent transaction was in the way.
    var isContention: Bool { ["55P03", "40001", "40P01"].contains(sqlState) }

    /// Whether the same transaction can succeed on another connection within a moment.
    var isTransient: Bool { kind == .unavailable && !isOverload && sqlState != "57014" && sqlState != "53100" }

    /// Whether the database is there and refuses to write: its disk is full or failing, or it only reads.
    var isRefusedWrite: Bool { ["25006", "53100", "58030"].contains(sqlState) }

    /// The error for a daemon that has used the database before: what an administrator changes there can be changed back.
    var whileRunning: StoreError {
        var error = self
        if kind == .misconfigured { error.kind = .unavailable }
        return error
    }
}

extension StoreError {
    /// Maps an error that the server reported about a table or a constraint (`subject`).
    ///
    /// Only classes whose messages contain no values of a statement show the message.
    init(sqlState: String, message: String, subject: String = "", label: String) {
        let code = "SQLSTATE \(sqlState)" + (subject.isEmpty ? "" : ", \(subject)")
        let text = "\(message) (\(code))"
        func make(_ kind: StoreError.Kind, _ text: String) -> Self { Self(kind, label, text) }
        self =
            switch sqlState {
            case "57014": make(.unavailable, "did not finish a statement within its time limit (\(code)). \(Self.busy)")
            case "55P03": make(.unavailable, "waited too long for a lock (\(code)). \(Self.busy)")
            case "40001", "40P01": make(.unavailable, "could not separate concurrent transactions (\(code)). Try again")
            // A prepared statement belongs to an older schema, or is unknown. The next connection prepares it anew.
            case "0A000", "26000": make(.unavailable, "forgot a prepared statement (\(code)). Try again")
            // The connection of the server already has the statement of another client.
            case "42P05": .pooled(label)
            case "3D000": make(.misconfigured, "cannot be used: \(text). Create the database, or correct store.url")
            case "42501", "3F000":
                make(
                    .misconfigured,
                    "cannot be used: \(text). Grant the user of store.url CREATE on the database, or the schema"
                )
            case "53100": make(.unavailable, "could not be written: its disk is full (\(code)). Free some space there")
            case "25006": make(.unavailable, "only reads (\(code)). Let store.url name the primary, or all hosts")
            default:
                switch sqlState.prefix(2) {
                case "08", "53", "57", "58": make(.unavailable, "is not available: \(text). \(Self.away)")
                case "28":
                    make(
                        .misconfigured,
                        "refused the daemon: \(text). Correct the user of store.url, store.passwordFile or pg_hba.conf"
                    )
                case "23": make(.failed, "refused a row (\(code))")
                case "42": make(.failed, "could not be used: \(text). Look at its tables")
                default: make(.failed, "could not be used (\(code)). Look at its log")
                }
            }
        self.sqlState = sqlState
    }

    private static let away = "Look at the server and the network"
    private static let busy = "Look at the server's load and its locks"

    /// The connection was lost, or never came up.
    static func lost(_ label: String, _ reason: String) -> Self {
        Self(.unavailable, label, "is not available: \(reason). \(away)")
    }

    /// The time limit of the caller has passed.
    static func timeLimit(_ label: String) -> Self {
        Self(.unavailable, label, "did not answer within the time limit. \(away)")
    }

    static func overloaded(_ label: String) -> Self {
        var error = Self(.unavailable, label, "has more to do than it can within the time limit. \(busy)")
        error.isOverload = true
        return error
    }

    static func closed(_ label: String) -> Self { Self(.closed, label, "is no longer used: the store is closed") }

    static func unexpectedColumn(_ name: String) -> Self {
        Self(.failed, "The database", "returned the column \(name) with an unexpected type. Look at its tables")
    }

    /// A pooler in transaction mode is between the daemon and the database.
    static func pooled(_ label: String) -> Self {
        Self(
            .misconfigured,
            label,
            """
            is behind a pooler in transaction mode, such as pgbouncer with pool_mode = transaction, which loses \
            notifications and prepared statements. Connect to the server itself, or set pool_mode = session
            """
        )
    }
}
