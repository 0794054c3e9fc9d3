/// A task executor that keeps all work of sessions on their loop, so that a test sees every stretch of it.
///
/// Swift 6.3 starts an immediate task without regard to its executor preference: at the first call that names its
/// isolation the task leaves its thread, to come back with the preference. The executor takes that job and runs it
/// before the start returns, so that the first stretch stays one.
package protocol LoopTaskExecutor: TaskExecutor {
    /// Starts a task in a session, and runs what ``take(_:)`` took meanwhile.
    func start(in session: Session, _ start: () -> Task<Void, Never>) -> Task<Void, Never>

    /// Takes a job of a session while a task is being started; whether it was taken.
    func claim(_ job: UnownedJob) -> Bool
}
