import DequeModule
import Synchronization
import ViewModelHost
import ViewModelStorage

/// The saves of sessions' values, in one statement for all that wait for a connection.
///
/// The statement leaves out a session whose rows another transaction has locked, and one that is too large, so that no
/// session waits or fails because of another one.
final class MergedSaves: Sendable {
    private struct Save: Sendable {
        let changes: SessionChanges
        let deadline: Deadline
        /// Receives whether the changes were saved.
        let continuation: CheckedContinuation<Result<Bool, StoreError>, Never>
    }

    private struct State {
        var waiting: Deque<(number: Int, save: Save)> = []
        var lastNumber = 0

        mutating func add(_ save: Save) -> Int {
            lastNumber += 1
            waiting.append((lastNumber, save))
            return lastNumber
        }

        /// Removes a save; nil if it waits no more.
        mutating func remove(_ number: Int) -> Save? {
            waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0).save }
        }

        /// Removes a save and others for one statement; empty if the save waits no more.
        mutating func removeAll(with number: Int) -> [Save] {
            guard let first = remove(number) else { return [] }
            var (saves, bytes) = ([first], first.changes.bytes)
            while saves.count < MergedSaves.maximumSessions, bytes < MergedSaves.maximumBytes,
                let (_, save) = waiting.popFirst()
            {
                saves.append(save)
                bytes += save.changes.bytes
            }
            return saves
        }
    }

    /// The most sessions and the most bytes in a statement.
    private static let (maximumSessions, maximumBytes) = (200, 1 << 20)

    private let database: SharedDatabase
    private let state = Mutex(State())

    init(_ database: SharedDatabase) {
        self.database = database
    }

    /// Saves changed values of a session, without instances, together with those of others.
    ///
    /// - Returns: false if the caller must save them alone: the session does not live here, is not saved, is too large or is
    ///   locked.
    func save(_ changes: SessionChanges) async throws(StoreError) -> Bool {
        guard changes.bytes < Self.maximumBytes / 8 else { return false }
        return try await database.saves.repeating(isIdempotent: true) { limit in
            await withCheckedContinuation { continuation in
                let save = Save(changes: changes, deadline: Deadline(after: limit), continuation: continuation)
                let number = state.withLock { $0.add(save) }
                // Until a connection takes this save, it may go with another one.
                let work = ConnectionPool.Job.Work.batch { self.batch(with: number) }
                database.saves.begin(work, limit) { error in
                    self.state.withLock { $0.remove(number) }?.continuation.resume(returning: .failure(error))
                }
            }
        }
    }

    /// Returns the statement for a save and for others that wait; nil if the save waits no more.
    private func batch(with number: Int) -> PostgresConnection.Batch? {
        let saves = state.withLock { $0.removeAll(with: number) }
        guard let limit = saves.map(\.deadline.remaining).min() else { return nil }
        return PostgresConnection.Batch(statements: [statement(saves.map(\.changes))], limit: limit) { result in
            let saved = Self.saved(result)
            for (index, save) in saves.enumerated() {
                save.continuation.resume(returning: saved.map { $0.contains(index + 1) })
            }
        }
    }

    /// Returns the numbers of the saved changes from 1 on.
    private static func saved(_ result: Result<[[SQLRow]], StoreError>) -> Result<Set<Int>, StoreError> {
        // The server has refused the statement.
        if case .failure(let error) = result, error.sqlState != nil, !error.isOutcomeUnknown { return .success([]) }
        return Result { () throws(StoreError) in
            try Set(result.get().joined().map { row throws(StoreError) in try row.integer("n") })
        }
    }

    private func statement(_ changes: [SessionChanges]) -> SQLStatement {
        let values = changes.enumerated().flatMap { index, changes in
            changes.values.map { (number: Int64(index + 1), value: $0) }
        }
        return (
            Self.statement,
            [
                .integers(changes.map { Int64($0.key.uid) }), .texts(changes.map(\.key.name)),
                .integers(changes.map(\.fence.number)), .text(database.boot),
                .integers(values.map(\.number)), .texts(values.map(\.value.key.owner)),
                .texts(values.map(\.value.key.name)), .byteStrings(values.map(\.value.text)),
                database.age, .number(database.bounds.savedBytes), .integers(changes.map(\.number)),
            ]
        )
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
        """
        CASE WHEN \(PostgresSessions.isAside(row)) THEN 0
            ELSE coalesce(octet_length(\(row).text) + octet_length(\(row).owner) + octet_length(\(row).name), 0) END
        """
    }
}

extension SessionChanges {
    fileprivate var bytes: Int { values.reduce(0) { $0 + $1.bytes } }
}
