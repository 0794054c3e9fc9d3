import Synchronization
import ViewModelProtocol

extension ConnectionPool {
    private static let attempts = 10

    /// Runs `body` in a transaction, and returns when it is durable.
    ///
    /// `body` runs on a thread of the pool and may block it. It runs again, within the time limit, after a conflict with a
    /// concurrent transaction, and after a lost connection if the transaction was certainly not committed, or `isIdempotent`.
    /// An error of `body` rolls the transaction back.
    package func transaction<Value: Sendable>(
        isIdempotent: Bool = false,
        limit: Duration? = nil,
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await dialog(isIdempotent: isIdempotent, limit: limit) { connection, deadline in
            try Transaction.run(on: connection, until: deadline, body)
        }
    }

    /// Executes one statement in a transaction of its own, in one round trip, and returns its rows.
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
    @discardableResult
    package func batch(
        _ statements: [SQLStatement],
        isIdempotent: Bool = false,
        limit: Duration? = nil
    ) async throws -> [[SQLRow]] {
        try await repeating(isIdempotent: isIdempotent, limit: limit) { limit in
            await withCheckedContinuation { continuation in
                let batch = PostgresConnection.Batch(statements: statements, limit: limit) { result in
                    continuation.resume(returning: result.mapError { $0 as any Error })
                }
                begin(.batch { batch }, limit) { continuation.resume(returning: .failure($0)) }
            }
        }
    }

    /// Runs `body` with a connection, and repeats it as ``transaction(isIdempotent:limit:_:)`` says.
    func dialog<Value: Sendable>(
        isIdempotent: Bool,
        limit: Duration? = nil,
        _ body: @escaping @Sendable (PostgresConnection, Deadline) throws -> Value
    ) async throws -> Value {
        try await repeating(isIdempotent: isIdempotent, limit: limit) { limit in
            await withCheckedContinuation { continuation in
                let work: @Sendable (PostgresConnection) -> Void = { connection in
                    continuation.resume(returning: Result { try body(connection, .answer(within: limit)) })
                }
                begin(.dialog(work), limit) { continuation.resume(returning: .failure($0)) }
            }
        }
    }

    /// Tests whether a database that has refused a write accepts writes again.
    ///
    /// It inserts a row of some pages, and rolls back.
    func testWrites() async throws {
        guard health.refusesWrites else { return }
        struct Undo: Error {}
        let text = (0..<65_536).map { _ in UInt8.random(in: .min ... .max) }
        do {
            try await transaction { transaction in
                try transaction.change("INSERT INTO lasting_value VALUES (-2, '', '', $1)", [.bytes(text)])
                throw Undo()
            }
        } catch is Undo {
            health.recordAcceptedWrite()
        }
    }

    func begin(_ work: Job.Work, _ limit: Duration, refuse: @escaping @Sendable (PostgresError) -> Void) {
        // Work that began later would run into its limit, and others would wait for it in vain.
        begin(Job(work: work, patience: limit / 2, refuse: refuse))
    }

    /// Runs an attempt again as ``transaction(isIdempotent:limit:_:)`` says.
    func repeating<Value: Sendable>(
        isIdempotent: Bool,
        limit: Duration? = nil,
        _ attempt: (_ limit: Duration) async -> Result<Value, any Error>
    ) async throws -> Value {
        let limit = limit ?? settings.transactionLimit
        let deadline = Deadline(after: limit)
        var backoff = Backoff(initial: .milliseconds(10), maximum: .milliseconds(500), jitter: 0.9)
        // Of any attempt, because the last one may have failed before it sent anything.
        var isOutcomeUnknown = false
        for number in 1... {
            do {
                let value = try await attempt(deadline.remaining).get()
                health.recordSuccess()
                return value
            } catch var error as PostgresError {
                isOutcomeUnknown = isOutcomeUnknown || error.isOutcomeUnknown
                error.isOutcomeUnknown = isOutcomeUnknown
                let isHopeless = failingSince.map { $0 + limit < .now } ?? false
                let delay = backoff.delay()
                guard error.isTransient, isIdempotent || !error.isOutcomeUnknown, !isHopeless, number < Self.attempts,
                    delay < deadline.remaining
                else {
                    let failure = health.hasStarted.load(ordering: .relaxed) ? error.whileRunning : error
                    health.record(failure)
                    throw failure
                }
                try? await Task.sleep(for: delay)
            }
        }
        throw PostgresError.timeLimit(settings.label)
    }
}
