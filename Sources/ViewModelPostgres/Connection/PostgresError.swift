/// An error of the shared database.
///
/// Its text names the database and the remedy. It contains neither a password nor a statement's values.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error.
    package enum Kind: Sendable {
        /// The database cannot be reached, is starting or stopping, has no room, or did not answer in time.
        ///
        /// The same call may succeed later.
        case unavailable
        /// The connections have more to do than they can in time, so nothing was sent.
        ///
        /// The same call may succeed later.
        case overloaded
        /// A concurrent transaction was in the way, more often than transactions are repeated.
        case contention
        /// A constraint of a table refused the row.
        case constraint
        /// The database refused the user or its password.
        case refused
        /// `store.url`, the password's file or the rights in the database are wrong.
        case misconfigured
        /// A later version of the program made the tables.
        ///
        /// They stay unchanged.
        case newerSchema
        /// The other nodes have another vault key.
        case otherKey
        /// A pooler in transaction mode is between the daemon and the database.
        case pooled
        /// The connections are closed.
        case closed
        /// Any other error.
        case failed
    }

    /// The kind of the error.
    package let kind: Kind
    /// The code of the SQL standard (SQLSTATE); nil for an error that the server did not report.
    package let sqlState: String?
    /// The name of the constraint that refused a row.
    package var constraint: String?
    /// The error and its remedy, for people.
    package let description: String
    /// Whether the transaction may have been committed nevertheless.
    package var isOutcomeUnknown = false

    /// Whether the same transaction can succeed on another connection within a moment.
    var isTransient: Bool {
        kind == .contention || kind == .unavailable && sqlState != "57014" && sqlState != "53100"
    }

    /// Whether the database is there and refuses to write: its disk is full or failing, or it only reads.
    var isRefusedWrite: Bool { ["25006", "53100", "58030"].contains(sqlState) }

    /// The error for a daemon that has used the database before: what an administrator changes there can be changed back.
    var whileRunning: PostgresError {
        guard [.refused, .misconfigured, .pooled].contains(kind) else { return self }
        var error = PostgresError(.unavailable, description, sqlState: sqlState)
        error.isOutcomeUnknown = isOutcomeUnknown
        return error
    }

    init(_ kind: Kind, _ description: String, sqlState: String? = nil) {
        self.kind = kind
        self.description = description
        self.sqlState = sqlState
    }
}

extension PostgresError {
    /// Maps an error that the server reported.
    ///
    /// - Parameters:
    ///   - sqlState: the five characters of its code.
    ///   - message: the server's message. Only classes whose messages contain no values of a statement show it.
    ///   - subject: the table and the constraint, if the server named them.
    ///   - label: the database, for people.
    init(sqlState: String, message: String, subject: String = "", label: String) {
        let code = "SQLSTATE \(sqlState)" + (subject.isEmpty ? "" : ", \(subject)")
        let text = "\(message) (\(code))"
        func make(_ kind: Kind, _ description: String) -> Self { Self(kind, description, sqlState: sqlState) }
        self =
            switch sqlState {
            case "57014":
                make(.unavailable, "\(label) did not finish a statement within its time limit (\(code)). \(Self.busy)")
            case "55P03":
                make(.contention, "\(label) waited too long for a lock (\(code)). \(Self.busy)")
            case "40001", "40P01":
                make(.contention, "\(label) could not separate concurrent transactions (\(code)). Try again")
            case "0A000", "26000":
                // A prepared statement belongs to an older schema, or is unknown. The next connection prepares it anew.
                make(.unavailable, "\(label) forgot a prepared statement (\(code)). Try again")
            // The connection of the server already has the statement of another client.
            case "42P05": .pooled(label, sqlState: sqlState)
            case "3D000":
                make(.misconfigured, "\(label) cannot be used: \(text). Create the database, or correct store.url")
            case "42501", "3F000":
                make(
                    .misconfigured,
                    "\(label) cannot be used: \(text). Grant the user of store.url CREATE on the database, or the schema"
                )
            case "53100":
                make(.unavailable, "\(label) could not be written: its disk is full (\(code)). Free some space there")
            case "25006":
                make(.unavailable, "\(label) only reads (\(code)). Let store.url name the primary, or all hosts")
            default:
                switch sqlState.prefix(2) {
                case "08", "53", "57", "58": make(.unavailable, "\(label) is not available: \(text). \(Self.away)")
                case "28":
                    make(
                        .refused,
                        "\(label) refused the daemon: \(text). Correct the user of store.url, store.passwordFile or pg_hba.conf"
                    )
                case "23": make(.constraint, "\(label) refused a row (\(code))")
                case "42": make(.failed, "\(label) could not be used: \(text). Look at its tables")
                default: make(.failed, "\(label) could not be used (\(code)). Look at its log")
                }
            }
    }

    static let away = "Look at the server and the network"
    static let busy = "Look at the server's load and its locks"

    /// The connection was lost, or never came up.
    static func lost(_ label: String, _ reason: String) -> Self {
        Self(.unavailable, "\(label) is not available: \(reason). \(away)")
    }

    /// The time limit of the caller has passed.
    static func timeLimit(_ label: String) -> Self {
        Self(.unavailable, "\(label) did not answer within the time limit. \(away)")
    }

    static func overloaded(_ label: String) -> Self {
        Self(.overloaded, "\(label) has more to do than it can within the time limit. \(busy)")
    }

    static func closed(_ label: String) -> Self {
        Self(.closed, "\(label) is no longer used: the store is closed")
    }

    static func unexpectedColumn(_ name: String) -> Self {
        Self(.failed, "The database returned the column \(name) with an unexpected type. Look at its tables")
    }

    static func pooled(_ label: String, sqlState: String? = nil) -> Self {
        Self(
            .pooled,
            """
            \(label) is behind a pooler in transaction mode, such as pgbouncer with pool_mode = transaction, which loses \
            notifications and prepared statements. Connect to the server itself, or set pool_mode = session
            """,
            sqlState: sqlState
        )
    }
}
