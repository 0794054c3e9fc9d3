import GRDB
import Synchronization

/// Writes that wait for their turn: those that come while the disk is busy share the next transaction, and so one wait.
final class WriteQueue: Sendable {
    /// A write and those who wait for it.
    struct Job: Sendable {
        /// Writes, and gives what is to be told after the commit.
        ///
        /// It may be run again, after what it did was rolled back.
        let run: @Sendable (Database) throws -> @Sendable () -> Void
        let fail: @Sendable (any Error) -> Void
        /// Whether no file may hold what the job removed when its answer is given.
        var erases = false
    }

    private let waiting = Mutex<[Job]>([])
    /// Called after a commit that removed something for good, before the answers.
    private let emptyLog: @Sendable (Database) -> Void

    /// - Parameter emptyLog: moves what was committed from SQLite's log to the file, and empties the log.
    init(emptyLog: @escaping @Sendable (Database) -> Void = { _ in }) {
        self.emptyLog = emptyLog
    }

    /// How many wait.
    var count: Int { waiting.withLock { $0.count } }

    /// Runs a job after those before it, in the order of these calls.
    func enqueue(_ job: Job, on writer: DatabaseQueue) {
        let isFirst = waiting.withLock { waiting in
            waiting.append(job)
            return waiting.count == 1
        }
        if isFirst { writer.asyncWriteWithoutTransaction { self.drain($0) } }
    }

    private func drain(_ db: Database) {
        let jobs = waiting.withLock { waiting in
            let jobs = waiting
            waiting = []
            return jobs
        }
        if jobs.count > 1 {
            do {
                let (answers, changes) = try together(jobs, db)
                if changes > 0, jobs.contains(where: \.erases) { emptyLog(db) }
                for answer in answers { answer() }
                return
            } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
                // Another process holds the file. If each job waited for it in turn, the last one would wait for minutes.
                for job in jobs { job.fail(error) }
                return
            } catch {
                // If the batch fails, each job is retried in a transaction of its own.
            }
        }
        for job in jobs { alone(job, db) }
    }

    /// A job that refuses is told so and leaves no trace; an error of SQLite itself undoes everything.
    ///
    /// - Returns: the answers, and how many rows were changed.
    private func together(_ jobs: [Job], _ db: Database) throws -> (answers: [@Sendable () -> Void], changes: Int) {
        var answers: [@Sendable () -> Void] = []
        var changes = 0
        try db.inTransaction {
            let before = db.totalChangesCount
            for job in jobs {
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
        return (answers, changes)
    }

    private func alone(_ job: Job, _ db: Database) {
        do {
            var answer: @Sendable () -> Void = {}
            var changes = 0
            try db.inTransaction {
                let before = db.totalChangesCount
                answer = try job.run(db)
                changes = db.totalChangesCount - before
                return .commit
            }
            if changes > 0, job.erases { emptyLog(db) }
            answer()
        } catch {
            job.fail(error)
        }
    }
}
