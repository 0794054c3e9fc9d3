/// Measures something that changes by itself: before it is read, and repeatedly while a client is bound.
///
/// A ``BindingObserver`` forwards its calls to it, and makes it after the first measurement. Isolation: confined to its session.
public final class Sampler {
    private let clock: SessionClock
    private let interval: Duration
    private let measure: () -> Void
    private var sampled: Duration
    private var timer: SessionTimer?

    /// Makes a sampler whose first measurement was made now.
    ///
    /// - Parameters:
    ///   - interval: the age below which a measurement is not repeated.
    ///   - measure: writes the measured values into cells; called in a step of the session.
    public init(clock: SessionClock, every interval: Duration, measure: @escaping () -> Void) {
        self.clock = clock
        self.interval = interval
        self.measure = measure
        sampled = clock.now
    }

    /// Measures if the last measurement is old enough.
    public func willBeRead() {
        if clock.now - sampled >= interval { sample() }
    }

    /// Starts to measure with the first binding and stops with the last.
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
