/// A transaction in progress.
///
/// Isolation: confined to the closure that gets it.
package final class Transaction {
    private let connection: PostgresConnection
    private let deadline: Deadline
    private var queued = 0
    private var failure: PostgresError?

    private init(_ connection: PostgresConnection, until deadline: Deadline) {
        self.connection = connection
        self.deadline = deadline
    }

    /// Queues a statement whose result is not needed.
    ///
    /// It travels with the next statement that has a result, or with the commit. Its error appears there.
    package func queue(_ sql: String, _ values: [SQLValue] = []) throws(PostgresError) {
        if let failure { throw failure }
        try connection.queue(sql, values)
        queued += 1
    }

    func queue(_ statements: [SQLStatement]) throws(PostgresError) {
        for statement in statements { try queue(statement.sql, statement.values) }
    }

    package func rows(_ sql: String, _ values: [SQLValue] = []) throws(PostgresError) -> [SQLRow] {
        try execute(sql, values).rows
    }

    /// Executes a statement, and returns the number of rows that it changed.
    @discardableResult
    package func change(_ sql: String, _ values: [SQLValue] = []) throws(PostgresError) -> Int {
        try execute(sql, values).changes
    }

    /// Executes the queued statements, and returns the rows of each since the last result.
    package func results() throws(PostgresError) -> [[SQLRow]] {
        try collect().map(\.rows)
    }

    private func execute(_ sql: String, _ values: [SQLValue]) throws(PostgresError) -> PostgresConnection.Result {
        try queue(sql, values)
        return try collect().last ?? PostgresConnection.Result()
    }

    private func collect() throws(PostgresError) -> [PostgresConnection.Result] {
        queued = 0
        do {
            return try connection.collect(until: deadline)
        } catch {
            failure = error
            throw error
        }
    }

    /// Runs `body` between `BEGIN` and `COMMIT`, and rolls back if it throws.
    static func run<Value>(
        on connection: PostgresConnection,
        until deadline: Deadline,
        _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let transaction = Transaction(connection, until: deadline)
        var isCommitting = false
        do {
            try transaction.queue("BEGIN")
            let value = try body(transaction)
            try transaction.queue("COMMIT")
            isCommitting = true
            _ = try transaction.collect()
            return value
        } catch {
            if connection.isBroken {
                guard isCommitting, var failure = error as? PostgresError else { throw error }
                failure.isOutcomeUnknown = true
                throw failure
            }
            try transaction.rollBack()
            throw error
        }
    }

    private func rollBack() throws(PostgresError) {
        // The connection may still have statements of the body that were never sent.
        if queued > 0 { _ = try? connection.collect(until: deadline) }
        guard !connection.isBroken else { return }
        try connection.queue("ROLLBACK", [])
        _ = try connection.collect(until: deadline)
    }
}
