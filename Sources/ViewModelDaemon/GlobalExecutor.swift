// Swift has no public API to replace its global executor. This file uses the SPI of 6.3, which may change with each
// compiler. A newer compiler builds daemons that run on Swift's default executor.
#if compiler(<6.4) && !DEFAULT_EXECUTOR
    import DequeModule
    import Dispatch
    import NIOCore
    import NIOPosix
    import Synchronization
    import UnixIO
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency

    /// An executor that replaces Swift's global executor, which runs on libdispatch.
    ///
    /// It runs all jobs that have no other executor. libdispatch counts the busy threads of its global queues once a
    /// second, from the first use of such a queue until the process ends. The threads of this pool sleep until a job
    /// arrives, so an idle daemon causes no wake-ups.
    ///
    /// The interface is SPI of Swift 6.3.
    final class GlobalExecutor: TaskExecutor, SchedulingExecutor {
        /// The event loop that runs delayed jobs.
        private static let clock = {
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            CloseOnExec.setPolls()
            return group.next()
        }()

        /// The jobs that wait for a thread.
        private let jobs = Mutex<Deque<UnownedJob>>([])
        /// The number of waiting jobs.
        ///
        /// The queue of `NIOThreadPool` would not do. It wakes one thread with `pthread_cond_signal`, which can lose the
        /// wake-up in glibc before 2.41 (sourceware.org, bug 25847). The job then waits for the next one, and a quiet
        /// daemon has none.
        private let waiting = DispatchSemaphore(value: 0)

        private init() {
            // The default of Swift is one thread a core. At least two, because a job that blocks on a file must not
            // delay all others. No more, because each thread lengthens the start.
            let threads = NIOThreadPool(numberOfThreads: max(2, System.coreCount))
            threads.start()
            for _ in 0..<threads.numberOfThreads { threads.submit { _ in self.runJobs() } }
        }

        /// Installs the executor; call it before the process creates a task other than the main one.
        static func install() {
            _createExecutors(factory: Factory.self)
            // NIO ends the process if it has no descriptor for an event loop, and clients can use up all descriptors.
            _ = clock
        }

        /// Runs a job on a thread of the pool.
        func enqueue(_ job: consuming ExecutorJob) {
            run(UnownedJob(job))
        }

        /// Runs a job on a thread of the pool after a delay.
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            after delay: C.Duration,
            tolerance: C.Duration?,
            clock: C
        ) {
            let job = UnownedJob(job)
            // The clocks of Swift count in `Duration`. A clock with another unit implements its own sleep.
            guard let delay = delay as? Duration else { preconditionFailure("\(C.self) cannot be slept on") }
            Self.clock.scheduleTask(in: TimeAmount(delay)) { self.run(job) }
        }

        private func run(_ job: UnownedJob) {
            jobs.withLock { $0.append(job) }
            waiting.signal()
        }

        /// Runs jobs on the calling thread, in the order of their arrival, until the process ends.
        private func runJobs() {
            while true {
                waiting.wait()
                jobs.withLock { $0.popFirst() }?.runSynchronously(on: asUnownedTaskExecutor())
            }
        }

        private enum Factory: ExecutorFactory {
            static let defaultExecutor: any TaskExecutor = GlobalExecutor()
            static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
        }
    }
#endif
