/// The repeated computation of an ``Output`` whose value changes with time.
///
/// It ticks while a client has bound the output and its condition holds. Isolation: confined to its session.
package final class Sampling {
    /// The number of samples, on which the output's value depends.
    private let samples = Cell(0)
    private let interval: Duration
    private let condition: Signal<Bool>?
    private var observer: SourceObserver?
    private var bindingCount = 0
    private var timer: SessionTimer?

    /// Creates a sampling that nobody has bound.
    init(every interval: Duration, while condition: Signal<Bool>?) {
        self.interval = interval
        self.condition = condition
        guard let condition else { return }
        // The condition may read members that are made after this one.
        samples.graph.afterCommit { [weak self] in
            self?.observer = SourceObserver(of: condition) { [weak self] in self?.update() }
        }
    }

    /// Makes the ``Derived`` that is being computed depend on the samples and on the condition.
    func track() {
        _ = samples.value
        _ = condition?.value
    }

    func countBindings(_ change: Int) {
        bindingCount += change
        update()
    }

    /// Computes the value again, as a part of the running step.
    package func sample() {
        samples.value += 1
    }

    private func update() {
        if bindingCount == 0 || condition?.untracked == false {
            timer = nil
        } else if timer == nil {
            sampleLater()
        }
    }

    private func sampleLater() {
        timer = samples.graph.schedule(after: interval) { [weak self] in
            guard let self else { return }
            sample()
            sampleLater()
        }
    }
}

/// The value of an ``Output`` that changes with time: a derived value that also depends on samples.
///
/// Isolation: confined to its session.
final class Sampled<Value: Equatable>: Derived<Value> {
    private let samples: Sampling

    /// Creates the value, which is computed anew at each sample.
    init(_ samples: Sampling, _ compute: @escaping () -> Value) {
        self.samples = samples
        super.init(on: .current, isEqual: areExactlyEqual) {
            samples.track()
            return compute()
        }
    }

    override var sampling: Sampling? { samples }
}
