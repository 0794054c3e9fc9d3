import Synchronization
import ViewModelProtocol
package import ViewModelStorage

extension ConnectionPool {
    private static let attempts = 10

    /// Runs `body` in a transaction, and returns when it is durable.
    ///
    /// `body` runs on a thread of the pool and may block it. It runs again, within the time limit, after a conflict with a
    /// concurrent transaction, and after a lost connection if the transaction was certainly not committed, or `isIdempotent`.
    /// An error of `body` rolls the transaction back. `committed` is called after the commit, before other work of the connection.
    package func transaction<Value: Sendable>(
        isIdempotent: Bool = false,
        limit: Duration? = nil,
        committed: @escaping @Sendable () throws -> Void = {},
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        // An error of the body's own is a result of the attempt.
        let result: Result<Value, any Error> = try await repeating(isIdempotent: isIdempotent, limit: limit) { limit in
            await withCheckedContinuation { continuation in
                let work: @Sendable (PostgresConnection) -> Void = { connection in
                    let result = Result {
                        try Transaction.run(on: connection, until: .answer(within: limit), body)
                    }
                    if case .failure(let error as StoreError) = result {
                        continuation.resume(returning: .failure(error))
                    } else {
                        // An error of `committed` does not repeat the transaction.
                        let confirmed = result.flatMap { value in Result { try committed() }.map { value } }
                        continuation.resume(returning: .success(confirmed))
                    }
                }
                begin(.dialog(work), limit) { continuation.resume(returning: .failure($0)) }
            }
        }
        return try result.get()
    }

    /// Executes one statement in a transaction of its own, in one round trip, and returns its rows.
    @discardableResult
    package func rows(
        _ sql: String,
        _ values: [SQLValue] = [],
        isIdempotent: Bool = true,
        limit: Duration? = nil
    ) async throws(StoreError) -> [SQLRow] {
        try await batch([(sql, values)], isIdempotent: isIdempotent, limit: limit).last ?? []
    }

    /// Executes statements in a transaction of their own, in one round trip, and returns the rows of each.
    @discardableResult
    package func batch(
        _ statements: [SQLStatement],
        isIdempotent: Bool = true,
        limit: Duration? = nil
    ) async throws(StoreError) -> [[SQLRow]] {
        try await repeating(isIdempotent: isIdempotent, limit: limit) { limit in
            await withCheckedContinuation { continuation in
                let batch = PostgresConnection.Batch(statements: statements, limit: limit) { result in
                    continuation.resume(returning: result)
                }
                begin(.batch { batch }, limit) { continuation.resume(returning: .failure($0)) }
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
                try transaction.rows("INSERT INTO lasting_value VALUES (-2, '', '', $1)", [.bytes(text)])
                throw Undo()
            }
        } catch is Undo {
            health.recordAcceptedWrite()
        }
    }

    /// Runs an attempt again as ``transaction(isIdempotent:limit:committed:_:)`` says.
    func repeating<Value: Sendable>(
        isIdempotent: Bool,
        limit: Duration? = nil,
        _ attempt: (_ limit: Duration) async -> Result<Value, StoreError>
    ) async throws(StoreError) -> Value {
        let limit = limit ?? settings.transactionLimit
        let deadline = Deadline(after: limit)
        var backoff = Backoff(initial: .milliseconds(10), maximum: .milliseconds(500), jitter: 0.9)
        // Of any attempt, because the last one may have failed before it sent anything.
        var isOutcomeUnknown = false
        for number in 1... {
            switch await attempt(deadline.remaining) {
            case .success(let value):
                health.recordSuccess()
                return value
            case .failure(var error):
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
        throw .timeLimit(settings.label)
    }
}
