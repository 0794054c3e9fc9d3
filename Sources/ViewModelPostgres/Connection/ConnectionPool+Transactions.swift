import Synchronization
import ViewModelProtocol

extension ConnectionPool {
    /// The largest number of times that a transaction runs.
    private static let attempts = 10

    /// Runs `body` in a transaction, and returns when it is durable.
    ///
    /// `body` runs on a thread of the pool and may block it. It runs again, within the time limit, after a conflict with a
    /// concurrent transaction, and after a lost connection if the transaction was certainly not committed.
    ///
    /// - Parameters:
    ///   - isIdempotent: whether the transaction also runs again if it may have been committed.
    ///   - limit: the time limit with all repetitions; nil for the one of the settings.
    ///   - body: executes the statements.
    /// - Returns: what `body` returns.
    /// - Throws: the error of `body`, which rolls the transaction back, or `PostgresError`.
    package func transaction<Value: Sendable>(
        isIdempotent: Bool = false,
        limit: Duration? = nil,
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await repeating(isIdempotent: isIdempotent, limit: limit) { connection, deadline in
            try Transaction.run(on: connection, until: deadline, body).value
        }
    }

    /// Executes one statement in a transaction of its own, in one round trip, and returns its rows.
    ///
    /// - Parameters:
    ///   - sql: the statement.
    ///   - values: its parameters.
    ///   - isIdempotent: whether the statement also runs again if it may have been committed.
    ///   - limit: the time limit with all repetitions; nil for the one of the settings.
    /// - Returns: the rows.
    /// - Throws: `PostgresError`.
    @discardableResult
    package func rows(
        _ sql: String,
        _ values: [SQLValue] = [],
        isIdempotent: Bool = false,
        limit: Duration? = nil
    ) async throws -> [SQLRow] {
        try await batch([(sql, values)], isIdempotent: isIdempotent, limit: limit).last ?? []
    }

    /// Executes statements in a transaction of their own, in one round trip, and returns the rows of each.
    ///
    /// - Parameters:
    ///   - statements: the statements with their parameters.
    ///   - isIdempotent: whether the statements also run again if they may have been committed.
    ///   - limit: the time limit with all repetitions; nil for the one of the settings.
    /// - Returns: the rows of each statement.
    /// - Throws: `PostgresError`.
    package func batch(
        _ statements: [(sql: String, values: [SQLValue])],
        isIdempotent: Bool = false,
        limit: Duration? = nil
    ) async throws -> [[SQLRow]] {
        try await repeating(isIdempotent: isIdempotent, limit: limit) { connection, deadline in
            do throws(PostgresError) {
                for statement in statements { try connection.queue(statement.sql, statement.values) }
                return try connection.collect(until: deadline).map(\.rows)
            } catch {
                var failure = error
                failure.isOutcomeUnknown = connection.isBroken
                throw failure
            }
        }
    }

    /// Runs `work` with a connection, and repeats it as ``transaction(isIdempotent:limit:_:)`` says.
    func repeating<Value: Sendable>(
        isIdempotent: Bool,
        limit: Duration? = nil,
        _ work: @escaping @Sendable (Connection, Deadline) throws -> Value
    ) async throws -> Value {
        let limit = limit ?? settings.transactionLimit
        let deadline = Deadline(after: limit)
        var backoff = Backoff(initial: .milliseconds(10), maximum: .milliseconds(500), jitter: 0.9)
        // Of any attempt, because the last one may have failed before it sent anything.
        var isOutcomeUnknown = false
        for attempt in 1... {
            do {
                let value = try await attemptOnce(until: deadline, work)
                recordSuccess()
                return value
            } catch var error as PostgresError {
                isOutcomeUnknown = isOutcomeUnknown || error.isOutcomeUnknown
                error.isOutcomeUnknown = isOutcomeUnknown
                let isHopeless = failingSince.map { $0 + limit < .now } ?? false
                let delay = backoff.delay()
                guard error.isTransient, isIdempotent || !error.isOutcomeUnknown, !isHopeless, attempt < Self.attempts,
                    delay < deadline.remaining
                else {
                    let failure = hasStarted.load(ordering: .relaxed) ? error.whileRunning : error
                    record(failure)
                    throw failure
                }
                try? await Task.sleep(for: delay)
            }
        }
        throw PostgresError.timeLimit(settings.place)
    }

    private func attemptOnce<Value: Sendable>(
        until deadline: Deadline,
        _ work: @escaping @Sendable (Connection, Deadline) throws -> Value
    ) async throws -> Value {
        while true {
            let lane = try await acquire(until: deadline)
            let place = settings.place
            let outcome: (result: Result<Value, any Error>, isBroken: Bool)? = await lane.run { connection in
                // After a restart of the server all idle connections are closed.
                guard let connection, !connection.isStale else { return nil }
                guard !deadline.hasPassed else { return (.failure(PostgresError.timeLimit(place)), false) }
                return (Result { try work(connection, deadline) }, connection.isBroken)
            }
            release(lane, isBroken: outcome?.isBroken ?? true)
            if let outcome { return try outcome.result.get() }
        }
    }
}
