import ViewModelKit

/// The daemon's health, sampled at most once a second when a client reads or binds it.
@ViewModel("daemon")
final class DaemonHealth: BindingObserver {
    private let monitor: HealthMonitor
    private let sampler: Sampler
    @State private var reading: HealthReading

    init(host: Host, clock: SessionClock) {
        monitor = host.health
        let read = { host.health.reading(isStopping: host.isStopping) }
        reading = read()
        sampler = Sampler(clock: clock, every: .seconds(1)) { [cell = $reading] in cell.value = read() }
    }

    /// Whether the daemon runs or is about to end.
    @Output var state: HealthReading.State { reading.state }
    /// The daemon's version.
    @Volatile @Output var version: String { monitor.version }
    /// Seconds since the daemon started.
    @Volatile @Output var uptimeSeconds: Int { reading.uptimeSeconds }
    /// Living sessions, anonymous ones included.
    @Volatile @Output var sessions: Int { reading.sessions }
    /// Open connections.
    @Volatile @Output var connections: Int { reading.connections }
    /// Living ViewModel instances of all sessions.
    @Volatile @Output var instances: Int { reading.instances }
    /// Resident memory of the process, in bytes.
    @Volatile @Output var residentBytes: Int { reading.residentBytes }
    /// The path of the state directory, the size of the state in bytes, and whether the state can be written.
    @Volatile @Output var storage: StorageHealth { reading.storage }
    /// The path of the socket, whether clients find it there, and how often its file was removed or replaced since
    /// the start.
    @Output var socket: SocketHealth { reading.socket }

    /// Saved values that do not fit the code any more, and are kept aside until it reads them: since the daemon's start.
    @Output var unreadValues: [UnreadValue] { reading.unreadValues }

    func willBeRead() { sampler.willBeRead() }

    func bindingsChanged(to count: Int) { sampler.bindingsChanged(to: count) }

    /// Samples the daemon's health now, for a change that must not wait for the next second.
    func sample() { sampler.sample() }
}
