import Synchronization

/// The loop as the place where tasks run what belongs to no actor.
final class ManualTaskExecutor: TaskExecutor {
    private let target = Mutex(WeakLoop())

    /// Where jobs go; they are dropped when the loop is no more, as nobody will run it again.
    var loop: ManualLoop? {
        get { target.withLock { $0.loop } }
        set { target.withLock { $0.loop = newValue } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop?.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

private struct WeakLoop {
    weak var loop: ManualLoop?
}
