import ViewModelKit

/// The daemon's health, sampled at most once a second, and only while someone is bound.
@ViewModel("daemon")
final class DaemonHealth: BindingObserver {
    struct Outputs {
        /// Whether the daemon runs or is about to end.
        let state: Output<HealthReading.State>
        /// The daemon's version.
        let version: Output<String>
        /// Seconds since the daemon started.
        let uptimeSeconds: Output<Int>
        /// Living sessions, anonymous ones included.
        let sessions: Output<Int>
        /// Open connections.
        let connections: Output<Int>
        /// Living ViewModel instances of all sessions.
        let instances: Output<Int>
        /// Resident memory of the process, in bytes.
        let residentBytes: Output<Int>
        /// Where state is kept, how much it takes in bytes, and whether it can be written.
        let storage: Output<StorageHealth>
    }

    let outputs: Outputs
    private let board: HealthBoard
    private let clock: SessionClock
    private let reading: Cell<HealthReading>
    private var timer: SessionTimer?
    private var sampled: Duration
    private static var interval: Duration { .seconds(1) }

    init(board: HealthBoard, clock: SessionClock) {
        let reading = Cell(board.reading())
        self.reading = reading
        self.board = board
        self.clock = clock
        sampled = clock.now
        outputs = Outputs(
            state: Output(reading.map(\.state)),
            version: Output(board.version),
            uptimeSeconds: Output(reading.map(\.uptimeSeconds)),
            sessions: Output(reading.map(\.sessions)),
            connections: Output(reading.map(\.connections)),
            instances: Output(reading.map(\.instances)),
            residentBytes: Output(reading.map(\.residentBytes)),
            storage: Output(reading.map(\.storage))
        )
    }

    func willBeRead() {
        if clock.now - sampled >= Self.interval { sample() }
    }

    /// Looks at the daemon at once, because something happened that does not wait.
    func sample() {
        sampled = clock.now
        reading.value = board.reading()
    }

    func bindingsChanged(to count: Int) {
        if count == 0 {
            timer = nil
        } else if timer == nil {
            sampleLater()
        }
    }

    private func sampleLater() {
        // Right when the last look is old enough.
        timer = clock.timer(after: max(sampled + Self.interval - clock.now, .zero)) { [weak self] in
            guard let self else { return }
            willBeRead()
            sampleLater()
        }
    }
}
