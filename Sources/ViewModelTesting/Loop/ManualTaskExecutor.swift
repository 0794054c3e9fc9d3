import Synchronization
import ViewModelHost

/// The loop as the place where tasks run what belongs to no actor.
final class ManualTaskExecutor: LoopTaskExecutor {
    private struct State {
        weak var loop: ManualLoop?
        /// The jobs of the tasks that are being started, one within the other.
        var starting: [[UnownedJob]] = []
    }

    private let state = Mutex(State())

    /// Where jobs go; they are dropped when the loop is no more, as nobody will run it again.
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
