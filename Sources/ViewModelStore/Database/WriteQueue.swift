import GRDB
import Synchronization

/// A queue of writes.
///
/// Writes that arrive while the disk is busy share the next transaction and its sync.
final class WriteQueue: Sendable {
    /// A write with its answers to the caller.
    struct Job: Sendable {
        /// Writes, and returns the answer to call after the commit.
        ///
        /// It may run again after a rollback.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
        /// Whether no file may contain the removed data when the answer is called.
        var erases = false
    }

    private let waiting = Mutex<[Job]>([])
    /// Truncates the log after a commit of an erasing job, before the answers.
    private let emptyLog: @Sendable (Database) -> Void

    init(emptyLog: @escaping @Sendable (Database) -> Void = { _ in }) {
        self.emptyLog = emptyLog
    }

    var count: Int { waiting.withLock { $0.count } }

    /// Runs a job after all jobs of earlier calls.
    func enqueue(_ job: Job, on writer: DatabaseQueue) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(job)
            return waiting.count == 1
        }
        if isFirst { writer.asyncWriteWithoutTransaction { self.drain($0) } }
    }

    private func drain(_ db: Database) {
        let jobs = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        do {
            try run(jobs, db)
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            // Another process holds the file. If each job waited for the lock in turn, the last one would wait for
            // minutes.
            for job in jobs { job.fail(error) }
        } catch {
            // Each job is retried in a transaction of its own, so that only the faulty one fails.
            guard jobs.count > 1 else { return jobs[0].fail(error) }
            for job in jobs {
                do { try run([job], db) } catch { job.fail(error) }
            }
        }
    }

    /// Runs jobs in one transaction, and answers them.
    ///
    /// A job that throws its own error is rolled back alone. An error of SQLite rolls back the whole transaction.
    private func run(_ jobs: [Job], _ db: Database) throws {
        var answers: [@Sendable () -> Void] = []
        var changes = 0
        try db.inTransaction {
            let before = db.totalChangesCount
            for job in jobs {
                // Alone, it needs no savepoint.
                if jobs.count == 1 {
                    answers.append(try job.run(db))
                    break
                }
                do {
                    try db.inSavepoint {
                        answers.append(try job.run(db))
                        return .commit
                    }
                } catch let error where !(error is DatabaseError) {
                    answers.append { job.fail(error) }
                }
            }
            changes = db.totalChangesCount - before
            return .commit
        }
        if changes > 0, jobs.contains(where: \.erases) { emptyLog(db) }
        for answer in answers { answer() }
    }
}
