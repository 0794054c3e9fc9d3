/// A repeated measurement of a value that changes by itself.
///
/// It measures before the value is read, and repeatedly while clients bind it. A ``BindingObserver`` creates it after
/// the first measurement and forwards its calls. Isolation: confined to its session.
public final class Sampler {
    private let clock: SessionClock
    private let interval: Duration
    private let measure: () -> Void
    private var sampled: Duration
    private var timer: SessionTimer?

    /// Creates a sampler whose first measurement was made now.
    ///
    /// - Parameters:
    ///   - clock: the session's clock.
    ///   - interval: the age below which a measurement is not repeated.
    ///   - measure: writes the measured values into cells. Called in a step of the session.
    public init(clock: SessionClock, every interval: Duration, measure: @escaping () -> Void) {
        self.clock = clock
        self.interval = interval
        self.measure = measure
        sampled = clock.now
    }

    /// Measures if the last measurement is at least `interval` old.
    public func willBeRead() {
        if clock.now - sampled >= interval { sample() }
    }

    /// Starts to measure with the first binding and stops with the last one.
    public func bindingsChanged(to count: Int) {
        if count == 0 {
            timer = nil
        } else if timer == nil {
            sampleLater()
        }
    }

    /// Measures at once.
    public func sample() {
        sampled = clock.now
        measure()
    }

    private func sampleLater() {
        timer = clock.timer(after: max(sampled + interval - clock.now, .zero)) { [weak self] in
            guard let self else { return }
            willBeRead()
            sampleLater()
        }
    }
}
