/// A task executor that keeps all work of sessions on their loop, so that a test controls every stretch of it.
///
/// Swift 6.3 starts an immediate task without regard to its executor preference. At the first call that names its
/// isolation, the task leaves its thread and returns with the preference. The executor claims that job and runs it
/// before the start returns, so that the first stretch stays one step.
package protocol LoopTaskExecutor: TaskExecutor {
    /// Starts a task in a session, and runs the jobs that ``claim(_:)`` has accepted meanwhile.
    func start(in session: Session, _ start: () -> Task<Void, Never>) -> Task<Void, Never>

    /// Accepts a job of a session while a task is being started. Returns whether it was accepted.
    func claim(_ job: UnownedJob) -> Bool
}
