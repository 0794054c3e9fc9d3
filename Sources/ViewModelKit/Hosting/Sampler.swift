/// Looks at something that changes by itself: before it is read, and again and again only while somebody is bound.
///
/// A ``BindingObserver`` hands on to it what it is told, and makes it when it has looked for the first time. Isolation:
/// confined to its session.
public final class Sampler {
    private let clock: SessionClock
    private let interval: Duration
    private let look: () -> Void
    private var sampled: Duration
    private var timer: SessionTimer?

    /// Makes a sampler whose first look was now.
    ///
    /// - Parameters:
    ///   - interval: a look that is younger is not repeated.
    ///   - look: writes what there is to see into cells; called in a step of the session.
    public init(clock: SessionClock, every interval: Duration, look: @escaping () -> Void) {
        self.clock = clock
        self.interval = interval
        self.look = look
        sampled = clock.now
    }

    /// Looks, if the last look is old enough.
    public func willBeRead() {
        if clock.now - sampled >= interval { sample() }
    }

    /// Begins to look when somebody is bound, and stops when nobody is.
    public func bindingsChanged(to count: Int) {
        if count == 0 {
            timer = nil
        } else if timer == nil {
            sampleLater()
        }
    }

    /// Looks at once, because something happened that does not wait.
    public func sample() {
        sampled = clock.now
        look()
    }

    private func sampleLater() {
        // Right when the last look is old enough.
        timer = clock.timer(after: max(sampled + interval - clock.now, .zero)) { [weak self] in
            guard let self else { return }
            willBeRead()
            sampleLater()
        }
    }
}
