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
    }

    private let waiting = Mutex<[Job]>([])

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
        if jobs.count > 1, let answers = try? together(jobs, db) {
            for answer in answers { answer() }
            return
        }
        // Where they failed together, the one whose fault it was fails alone.
        for job in jobs { alone(job, db) }
    }

    /// A job that refuses is told so and leaves no trace; an error of SQLite itself undoes everything.
    private func together(_ jobs: [Job], _ db: Database) throws -> [@Sendable () -> Void] {
        var answers: [@Sendable () -> Void] = []
        try db.inTransaction {
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
            return .commit
        }
        return answers
    }

    private func alone(_ job: Job, _ db: Database) {
        do {
            var answer: @Sendable () -> Void = {}
            try db.inTransaction {
                answer = try job.run(db)
                return .commit
            }
            answer()
        } catch {
            job.fail(error)
        }
    }
}
