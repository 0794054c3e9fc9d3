package import ViewModelStorage

/// An error of the shared database.
///
/// Its text names the database and the remedy. It contains neither a password nor a statement's values.
package struct PostgresError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of the error for those who use the store, or one that only the pool distinguishes.
    package let kind: StoreError.Kind
    /// The code of the SQL standard (SQLSTATE); nil for an error that the server did not report.
    package let sqlState: String?
    /// The name of the constraint that refused a row.
    package var constraint: String?
    /// The database, the file or the key that the error is about.
    private let subject: String
    /// The error and its remedy, as the end of a sentence that begins with the subject.
    private let text: String
    /// Whether the transaction may have been committed nevertheless.
    package var isOutcomeUnknown = false

    package var description: String { "\(subject) \(text)" }

    /// Whether the same transaction can succeed on another connection within a moment.
    var isTransient: Bool {
        kind == .contention || kind == .unavailable && sqlState != "57014" && sqlState != "53100"
    }

    /// Whether the database is there and refuses to write: its disk is full or failing, or it only reads.
    var isRefusedWrite: Bool { ["25006", "53100", "58030"].contains(sqlState) }

    /// The error for a daemon that has used the database before: what an administrator changes there can be changed back.
    var whileRunning: PostgresError {
        guard kind == .misconfigured else { return self }
        var error = PostgresError(.unavailable, subject, text, sqlState: sqlState)
        error.isOutcomeUnknown = isOutcomeUnknown
        return error
    }

    /// The error for those who use the store.
    package var storeError: StoreError {
        let kind = [.overloaded, .contention].contains(kind) ? StoreError.Kind.unavailable : kind
        var error = StoreError(kind, subject, text)
        error.isOutcomeUnknown = isOutcomeUnknown
        return error
    }

    /// Creates an error, whose text is the end of a sentence that begins with the subject.
    init(_ kind: StoreError.Kind, _ subject: String, _ text: String, sqlState: String? = nil) {
        self.kind = kind
        self.subject = subject
        self.text = text
        self.sqlState = sqlState
    }
}

extension StoreError.Kind {
    /// The connections have more to do than they can in time, so nothing was sent.
    package static let overloaded = Self(rawValue: "overloaded")
    /// A concurrent transaction was in the way, more often than transactions are repeated.
    package static let contention = Self(rawValue: "contention")
}

extension PostgresError {
    /// Maps an error that the server reported about a table or a constraint (`subject`).
    ///
    /// Only classes whose messages contain no values of a statement show the message.
    init(sqlState: String, message: String, subject: String = "", label: String) {
        let code = "SQLSTATE \(sqlState)" + (subject.isEmpty ? "" : ", \(subject)")
        let text = "\(message) (\(code))"
        func make(_ kind: StoreError.Kind, _ text: String) -> Self { Self(kind, label, text, sqlState: sqlState) }
        self =
            switch sqlState {
            case "57014": make(.unavailable, "did not finish a statement within its time limit (\(code)). \(Self.busy)")
            case "55P03": make(.contention, "waited too long for a lock (\(code)). \(Self.busy)")
            case "40001", "40P01": make(.contention, "could not separate concurrent transactions (\(code)). Try again")
            // A prepared statement belongs to an older schema, or is unknown. The next connection prepares it anew.
            case "0A000", "26000": make(.unavailable, "forgot a prepared statement (\(code)). Try again")
            // The connection of the server already has the statement of another client.
            case "42P05": .pooled(label, sqlState: sqlState)
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
        Self(.overloaded, label, "has more to do than it can within the time limit. \(busy)")
    }

    static func closed(_ label: String) -> Self { Self(.closed, label, "is no longer used: the store is closed") }

    static func unexpectedColumn(_ name: String) -> Self {
        Self(.failed, "The database", "returned the column \(name) with an unexpected type. Look at its tables")
    }

    /// A pooler in transaction mode is between the daemon and the database.
    static func pooled(_ label: String, sqlState: String? = nil) -> Self {
        Self(
            .misconfigured,
            label,
            """
            is behind a pooler in transaction mode, such as pgbouncer with pool_mode = transaction, which loses \
            notifications and prepared statements. Connect to the server itself, or set pool_mode = session
            """,
            sqlState: sqlState
        )
    }
}
