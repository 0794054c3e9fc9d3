import DequeModule
import Synchronization
import ViewModelHost
import ViewModelStorage

/// The saves of values of several sessions, in one statement for all that wait.
///
/// The statement leaves out a session whose rows another transaction has locked, and one that is too large, so that no
/// session waits or fails because of another one. These are saved alone.
final class MergedSaves: Sendable {
    private struct Save: Sendable {
        let changes: SessionChanges
        /// The end of the time that it may wait, and of the time for all attempts.
        let (patience, deadline): (Deadline, Deadline)
        /// Receives whether the changes were saved.
        let continuation: CheckedContinuation<Bool, any Error>
    }

    private struct State {
        var waiting: Deque<Save> = []
        /// The statements under way, and the saves that went alone because nothing was under way.
        var underway = 0
        /// Whether saves that wait too long are looked for.
        var isLooking = false
    }

    /// The most that are under way, which use half of the connections.
    private static let maximum = 3
    /// The most sessions and the most bytes in a statement.
    private static let (maximumSessions, maximumBytes) = (200, 1 << 20)
    /// The pause between two looks for saves that wait too long.
    private static let lookingPause = Duration.milliseconds(50)

    private let database: SharedDatabase
    private let state = Mutex(State())

    init(_ database: SharedDatabase) {
        self.database = database
    }

    /// Saves changed values of a session: alone if no other save is under way, which is a little faster, else with others.
    ///
    /// - Parameters:
    ///   - changes: changes without instances that are not complete.
    ///   - saveAlone: saves them in a transaction of their own, within a time limit. It is also called if the statement has
    ///     not saved them: the session does not live here, is not saved, is too large or is locked.
    /// - Throws: the error of `saveAlone`, or `PostgresError`.
    func save(_ changes: SessionChanges, alone saveAlone: (_ limit: Duration) async throws -> Void) async throws {
        let limit = database.pool.settings.transactionLimit
        guard changes.bytes < Self.maximumBytes / 8 else { return try await saveAlone(limit) }
        let isFirst = state.withLock { state in
            guard state.underway == 0 else { return false }
            state.underway = 1
            return true
        }
        if isFirst {
            defer { endFirst() }
            return try await saveAlone(limit)
        }
        let deadline = Deadline(after: limit)
        if try await saveWithOthers(changes, deadline) { return }
        try await saveAlone(deadline.remaining)
    }

    private func endFirst() {
        let othersWait = state.withLock { state in
            if state.waiting.isEmpty { state.underway -= 1 }
            return !state.waiting.isEmpty
        }
        if othersWait { Task { await run() } }
    }

    private func saveWithOthers(_ changes: SessionChanges, _ deadline: Deadline) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            let patience = Deadline(after: deadline.remaining / 2)
            let (begins, mustLook) = state.withLock { state in
                state.waiting.append(
                    Save(changes: changes, patience: patience, deadline: deadline, continuation: continuation)
                )
                guard state.underway == Self.maximum else {
                    state.underway += 1
                    return (true, false)
                }
                defer { state.isLooking = true }
                return (false, !state.isLooking)
            }
            // The tasks are unstructured, because they also serve what others add meanwhile.
            if begins { Task { await run() } }
            if mustLook { Task { await refuseLate() } }
        }
    }

    private func run() async {
        while let saves = state.withLock({ next(&$0) }) {
            let outcome = await execute(saves)
            for (index, save) in saves.enumerated() {
                save.continuation.resume(with: outcome.map { $0.contains(index + 1) })
            }
        }
    }

    /// Takes what the next statement saves; nil at the end of the task.
    private func next(_ state: inout State) -> [Save]? {
        var (saves, bytes) = ([] as [Save], 0)
        while saves.count < Self.maximumSessions, bytes < Self.maximumBytes, let save = state.waiting.popFirst() {
            saves.append(save)
            bytes += save.changes.bytes
        }
        guard saves.isEmpty else { return saves }
        state.underway -= 1
        return nil
    }

    /// Refuses saves that wait too long, while any wait.
    private func refuseLate() async {
        var isLooking = true
        while isLooking {
            try? await Task.sleep(for: Self.lookingPause)
            let late = state.withLock { state in
                var late: [Save] = []
                while state.waiting.first?.patience.hasPassed == true, let save = state.waiting.popFirst() {
                    late.append(save)
                }
                isLooking = !state.waiting.isEmpty
                state.isLooking = isLooking
                return late
            }
            for save in late { save.continuation.resume(throwing: PostgresError.overloaded(database.place)) }
        }
    }

    /// Executes the statement, and returns the numbers of the saved changes from 1 on.
    private func execute(_ saves: [Save]) async -> Result<Set<Int>, any Error> {
        let changes = saves.map(\.changes)
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
                    database.age, .number(database.bounds.value.savedBytes), .integers(changes.map(\.number)),
                ],
                isIdempotent: true,
                limit: saves.map(\.deadline.remaining).min()
            )
            return .success(Set(try rows.map { try $0.integer("n") }))
        } catch let error as PostgresError where error.sqlState != nil && !error.isOutcomeUnknown {
            // The server has refused the statement.
            return .success([])
        } catch {
            return .failure(error)
        }
    }

    private static let statement = """
        WITH owned AS MATERIALIZED (
            SELECT w.n, w.fence, w.number, s.session, s.bytes
            FROM unnest($1::bigint[], $2::text[], $3::bigint[], $11::bigint[])
            WITH ORDINALITY AS w (uid, name, fence, number, n)
            JOIN session_owner o ON o.uid = w.uid AND o.name = w.name AND o.fence = w.fence AND o.boot = $4
            -- A save that its caller has given up may arrive after a later one.
            JOIN session s ON s.uid = w.uid AND s.name = w.name
                AND (s.saved_fence, s.saved_number) <= (w.fence, w.number)
            FOR SHARE OF o SKIP LOCKED FOR NO KEY UPDATE OF s SKIP LOCKED
        ), change AS MATERIALIZED (
            SELECT owned.session, c.owner, c.name, c.text, \(bytes(of: "c")) - \(bytes(of: "former")) AS growth
            FROM unnest($5::bigint[], $6::text[], $7::text[], $8::bytea[]) AS c (n, owner, name, text)
            JOIN owned USING (n) LEFT JOIN session_value former
            ON former.session = owned.session AND former.owner = c.owner AND former.name = c.name
        ), saved AS MATERIALIZED (
            SELECT owned.n, owned.fence, owned.number, session, owned.bytes + sum(change.growth) AS bytes
            FROM owned JOIN change USING (session)
            GROUP BY owned.n, owned.fence, owned.number, session, owned.bytes
            HAVING owned.bytes + sum(change.growth) <= $10
        ), erased AS (
            DELETE FROM session_value v USING change JOIN saved USING (session)
            WHERE change.text IS NULL AND v.session = saved.session AND v.owner = change.owner AND v.name = change.name
        ), stored AS (
            INSERT INTO session_value (session, owner, name, text)
            SELECT session, owner, name, text FROM change JOIN saved USING (session) WHERE text IS NOT NULL
            ON CONFLICT (session, owner, name) DO UPDATE SET text = excluded.text
        )
        UPDATE session s SET used_at = greatest(used_at, $9), byte_limit = $10, bytes = saved.bytes,
            saved_fence = saved.fence, saved_number = saved.number
        FROM saved WHERE s.session = saved.session RETURNING saved.n
        """

    /// The expression of the bytes that a row of a value counts with; 0 for none.
    private static func bytes(of row: String) -> String {
        "coalesce(octet_length(\(row).text) + octet_length(\(row).owner) + octet_length(\(row).name), 0)"
    }
}

extension SessionChanges {
    /// The bytes of the values.
    fileprivate var bytes: Int { values.reduce(0) { $0 + $1.bytes } }
}
