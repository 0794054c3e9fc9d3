import Synchronization
import ViewModelHost

/// A task executor that runs the jobs of tasks outside of actors on a manual loop.
final class ManualTaskExecutor: LoopTaskExecutor {
    private struct State {
        weak var loop: ManualLoop?
        /// A stack of the jobs of tasks that are being started, because one start may contain another.
        var starting: [[UnownedJob]] = []
    }

    private let state = Mutex(State())

    /// The loop that runs the jobs.
    ///
    /// Jobs are dropped after its release.
    var loop: ManualLoop? {
        get { state.withLock { $0.loop } }
        set { state.withLock { $0.loop = newValue } }
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop?.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    func start(in session: Session, _ start: () -> Task<Void, Never>) -> Task<Void, Never> {
        state.withLock { $0.starting.append([]) }
        let task = start()
        let jobs = state.withLock { $0.starting.removeLast() }
        for job in jobs { session.runNow(job) }
        return task
    }

    func claim(_ job: UnownedJob) -> Bool {
        guard loop?.isCurrent == true else { return false }
        return state.withLock { state in
            guard !state.starting.isEmpty else { return false }
            state.starting[state.starting.count - 1].append(job)
            return true
        }
    }
}
