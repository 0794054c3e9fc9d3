import ViewModelKit

/// The daemon's health, sampled at most once a second when a client reads or binds it.
@ViewModel("daemon")
final class DaemonHealth: BindingObserver {
    struct Outputs {
        /// Whether the daemon runs or is about to end.
        let state: Output<HealthReading.State>
        /// The daemon's version.
        @Volatile let version: Output<String>
        /// Seconds since the daemon started.
        @Volatile let uptimeSeconds: Output<Int>
        /// Living sessions, anonymous ones included.
        @Volatile let sessions: Output<Int>
        /// Open connections.
        @Volatile let connections: Output<Int>
        /// Living ViewModel instances of all sessions.
        @Volatile let instances: Output<Int>
        /// Resident memory of the process, in bytes.
        @Volatile let residentBytes: Output<Int>
        /// The path of the state directory, the size of the state in bytes, and whether the state can be written.
        @Volatile let storage: Output<StorageHealth>
        /// The path of the socket, whether clients find it there, and how often its file was removed or replaced since
        /// the start.
        let socket: Output<SocketHealth>
    }

    let outputs: Outputs
    private let sampler: Sampler

    init(monitor: HealthMonitor, clock: SessionClock) {
        let reading = Cell(monitor.reading())
        sampler = Sampler(clock: clock, every: .seconds(1)) { reading.value = monitor.reading() }
        outputs = Outputs(
            state: Output(reading.map(\.state)),
            version: Output(monitor.version),
            uptimeSeconds: Output(reading.map(\.uptimeSeconds)),
            sessions: Output(reading.map(\.sessions)),
            connections: Output(reading.map(\.connections)),
            instances: Output(reading.map(\.instances)),
            residentBytes: Output(reading.map(\.residentBytes)),
            storage: Output(reading.map(\.storage)),
            socket: Output(reading.map(\.socket))
        )
    }

    func willBeRead() { sampler.willBeRead() }

    func bindingsChanged(to count: Int) { sampler.bindingsChanged(to: count) }

    /// Samples the daemon's health now, for a change that must not wait for the next second.
    func sample() { sampler.sample() }
}
