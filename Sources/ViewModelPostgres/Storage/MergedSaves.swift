import Synchronization
import ViewModelHost
import ViewModelStorage

/// The saves of values of several sessions, in one statement for all that wait.
///
/// The statement skips a session whose rows another transaction has locked, so that no session waits for another one.
final class MergedSaves: Sendable {
    private struct Save: Sendable {
        let changes: SessionChanges
        /// Receives whether the changes were saved.
        let continuation: CheckedContinuation<Bool, any Error>
    }

    private struct State {
        var waiting: [Save] = []
        /// The statements, and the saves alone, that are under way.
        var underway = 0
    }

    /// The most that are under way, which use half of the connections.
    private static let maximum = 3
    /// The most sessions in a statement.
    private static let maximumSessions = 200

    private let database: SharedDatabase
    private let state = Mutex(State())

    init(_ database: SharedDatabase) {
        self.database = database
    }

    /// Saves changed values of a session: alone if no other save is under way, which is a little faster, else with others.
    ///
    /// - Parameters:
    ///   - changes: changes without instances that are not complete.
    ///   - saveAlone: saves them in a transaction of their own. It is also called if the statement has not saved them: the
    ///     session does not live here, is not saved, is too large or is locked, or another session is too large.
    /// - Throws: the error of `saveAlone`, or `PostgresError`.
    func save(_ changes: SessionChanges, alone saveAlone: () async throws -> Void) async throws {
        let isFirst = state.withLock { state in
            guard state.underway == 0 else { return false }
            state.underway = 1
            return true
        }
        if isFirst {
            defer { endFirst() }
            return try await saveAlone()
        }
        if try await saveWithOthers(changes) { return }
        try await saveAlone()
    }

    private func endFirst() {
        let othersWait = state.withLock { state in
            if state.waiting.isEmpty { state.underway -= 1 }
            return !state.waiting.isEmpty
        }
        if othersWait { Task { await run() } }
    }

    private func saveWithOthers(_ changes: SessionChanges) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            let begins = state.withLock { state in
                state.waiting.append(Save(changes: changes, continuation: continuation))
                guard state.underway < Self.maximum else { return false }
                state.underway += 1
                return true
            }
            // The task is unstructured, because it also saves what others add meanwhile.
            if begins { Task { await run() } }
        }
    }

    private func run() async {
        while true {
            let saves = state.withLock { state in
                let saves = state.waiting.prefix(Self.maximumSessions)
                state.waiting.removeFirst(saves.count)
                if saves.isEmpty { state.underway -= 1 }
                return Array(saves)
            }
            guard !saves.isEmpty else { return }
            let outcome = await execute(saves.map(\.changes))
            for (index, save) in saves.enumerated() {
                save.continuation.resume(with: outcome.map { $0.contains(index + 1) })
            }
        }
    }

    /// Executes the statement, and returns the numbers of the saved changes from 1 on.
    private func execute(_ changes: [SessionChanges]) async -> Result<Set<Int>, any Error> {
        let values = changes.enumerated().flatMap { index, changes in
            changes.values.map { (number: Int64(index + 1), value: $0) }
        }
        do {
            let rows = try await database.pool.rows(
                Self.statement,
                [
                    .integers(changes.map { Int64($0.key.uid) }), .texts(changes.map(\.key.name)),
                    .integers(changes.map(\.fence.number)), .text(database.boot),
                    .integers(values.map(\.number)), .texts(values.map(\.value.key.owner)),
                    .texts(values.map(\.value.key.name)), .byteStrings(values.map(\.value.text)),
                    database.age, .number(database.bounds.value.savedBytes),
                ],
                isIdempotent: true
            )
            return .success(Set(try rows.map { try $0.integer("n") }))
        } catch let error as PostgresError where error.sqlState != nil && !error.isOutcomeUnknown {
            // The server has refused the statement, for example because a session is too large.
            return .success([])
        } catch {
            return .failure(error)
        }
    }

    private static let statement = """
        WITH saved AS MATERIALIZED (
            SELECT w.n, s.session
            FROM unnest($1::bigint[], $2::text[], $3::bigint[]) WITH ORDINALITY AS w (uid, name, fence, n)
            JOIN session_owner o ON o.uid = w.uid AND o.name = w.name AND o.fence = w.fence AND o.boot = $4
            JOIN session s ON s.uid = w.uid AND s.name = w.name
            FOR SHARE OF o SKIP LOCKED FOR NO KEY UPDATE OF s SKIP LOCKED
        ), value AS MATERIALIZED (
            SELECT saved.session, v.owner, v.name, v.text
            FROM unnest($5::bigint[], $6::text[], $7::text[], $8::bytea[]) AS v (n, owner, name, text)
            JOIN saved USING (n)
        ), growth AS (
            SELECT value.session, sum(\(bytes(of: "value")) - \(bytes(of: "former"))) AS bytes FROM value
            LEFT JOIN session_value former
            ON former.session = value.session AND former.owner = value.owner AND former.name = value.name
            GROUP BY value.session
        ), erased AS (
            DELETE FROM session_value v USING value
            WHERE value.text IS NULL AND v.session = value.session AND v.owner = value.owner AND v.name = value.name
        ), stored AS (
            INSERT INTO session_value (session, owner, name, text)
            SELECT session, owner, name, text FROM value WHERE text IS NOT NULL
            ON CONFLICT (session, owner, name) DO UPDATE SET text = excluded.text
        )
        UPDATE session s SET used_at = greatest(used_at, $9), byte_limit = $10, bytes = s.bytes + growth.bytes
        FROM saved JOIN growth USING (session) WHERE s.session = saved.session RETURNING saved.n
        """

    /// The expression of the bytes that a row of a value counts with; 0 for none.
    private static func bytes(of row: String) -> String {
        "coalesce(octet_length(\(row).text) + octet_length(\(row).owner) + octet_length(\(row).name), 0)"
    }
}
