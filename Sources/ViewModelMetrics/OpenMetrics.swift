public import ViewModelKit

/// The daemon's metrics, sampled when they are read, and at most once a second while someone is bound.
@ViewModel("metrics")
public final class OpenMetrics: BindingObserver {
    struct Outputs {
        /// All metrics, in the text format of OpenMetrics 1.0.
        let text: Output<String>
    }

    let outputs: Outputs
    private let sampler: Sampler

    /// Shows the metrics of a registry.
    public init(registry: MetricsRegistry, clock: SessionClock) {
        let text = Cell(registry.text())
        sampler = Sampler(clock: clock, every: .seconds(1)) { text.value = registry.text() }
        outputs = Outputs(text: Output(text))
    }

    /// Looks where the last look is old.
    public func willBeRead() { sampler.willBeRead() }

    /// Looks again and again as long as somebody is bound.
    public func bindingsChanged(to count: Int) { sampler.bindingsChanged(to: count) }
}
