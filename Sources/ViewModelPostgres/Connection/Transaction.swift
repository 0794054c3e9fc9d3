package import ViewModelStorage

/// A transaction in progress.
///
/// Isolation: confined to the closure that gets it.
package final class Transaction {
    private let connection: PostgresConnection
    private let deadline: Deadline
    private var failure: StoreError?

    private init(_ connection: PostgresConnection, until deadline: Deadline) {
        self.connection = connection
        self.deadline = deadline
    }

    /// Queues a statement whose result is not needed.
    ///
    /// It travels with the next statement that has a result, or with the commit. Its error appears there.
    package func queue(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) {
        if let failure { throw failure }
        try connection.queue(sql, values)
    }

    func queue(_ statements: [SQLStatement]) throws(StoreError) {
        for statement in statements { try queue(statement.sql, statement.values) }
    }

    @discardableResult
    package func rows(_ sql: String, _ values: [SQLValue] = []) throws(StoreError) -> [SQLRow] {
        try queue(sql, values)
        return try results().last ?? []
    }

    /// Executes the queued statements, and returns the rows of each since the last result.
    package func results() throws(StoreError) -> [[SQLRow]] {
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
            _ = try transaction.results()
            return value
        } catch {
            if connection.isBroken {
                guard isCommitting, var failure = error as? StoreError else { throw error }
                failure.isOutcomeUnknown = true
                throw failure
            }
            try transaction.rollBack()
            throw error
        }
    }

    private func rollBack() throws(StoreError) {
        // The connection may still have statements of the body that were never sent.
        if connection.hasUnsent { _ = try? connection.collect(until: deadline) }
        guard !connection.isBroken else { return }
        try connection.queue("ROLLBACK", [])
        _ = try connection.collect(until: deadline)
    }
}
