// Swift has no public way to replace its threads yet. The interface of 6.3 is looked at again with each newer version; until
// then a newer compiler builds a daemon that runs on Swift's own threads, as the daemons of authors do.
#if compiler(<6.4)
    import NIOCore
    import NIOPosix
    @_spi(ExperimentalCustomExecutors) @_spi(ExperimentalScheduling) import _Concurrency
    import ViewModelServer

    /// The threads that run whatever belongs to no session and no other executor, in place of libdispatch's.
    ///
    /// libdispatch counts the busy threads of its global queues once a second, from the first use of one until the process ends.
    /// These sleep until there is something to do, so an idle daemon wakes nobody up.
    ///
    /// The interface is SPI of Swift 6.3.
    final class GlobalExecutor: TaskExecutor, SchedulingExecutor {
        /// Where jobs wait that are to run later; made for the first of them.
        private static let clock = MultiThreadedEventLoopGroup(numberOfThreads: 1).next()

        private let pool: NIOThreadPool

        private init() {
            // As many as Swift would have, but more than one: one that waits for a file must not hold up all others. Each costs
            // the start its making.
            pool = NIOThreadPool(numberOfThreads: max(2, System.coreCount))
            pool.start()
        }

        /// Takes over; before there is any task but that of `main`.
        static func install() {
            _createExecutors(factory: Factory.self)
        }

        /// Runs a job on one of the threads.
        func enqueue(_ job: consuming ExecutorJob) {
            run(UnownedJob(job))
        }

        /// Runs a job later.
        func enqueue<C: Clock>(
            _ job: consuming ExecutorJob,
            after delay: C.Duration,
            tolerance: C.Duration?,
            clock: C
        ) {
            let job = UnownedJob(job)
            // Swift's own clocks count in this; any other sleeps by itself.
            guard let delay = delay as? Duration else { preconditionFailure("\(C.self) cannot be slept on") }
            Self.clock.scheduleTask(in: TimeAmount(clamping: delay)) { self.run(job) }
        }

        private func run(_ job: UnownedJob) {
            pool.submit { _ in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }

        private enum Factory: ExecutorFactory {
            static let defaultExecutor: any TaskExecutor = GlobalExecutor()
            static var mainExecutor: any MainExecutor { PlatformExecutorFactory.mainExecutor }
        }
    }
#endif
