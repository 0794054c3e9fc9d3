public import ViewModelKit

/// The daemon's metrics, sampled at most once a second when a client reads or binds them.
@ViewModel("metrics")
public final class OpenMetrics: BindingObserver {
    struct Outputs {
        /// All metrics, in the text format of OpenMetrics 1.0.
        let text: Output<String>
    }

    let outputs: Outputs
    private let sampler: Sampler

    /// Creates the ViewModel for the metrics of a registry.
    public init(registry: MetricsRegistry, clock: SessionClock) {
        let text = Cell(registry.text())
        sampler = Sampler(clock: clock, every: .seconds(1)) { text.value = registry.text() }
        outputs = Outputs(text: Output(text))
    }

    /// Samples the metrics if the last sample is at least a second old.
    public func willBeRead() { sampler.willBeRead() }

    /// Samples the metrics once a second while a client is bound.
    public func bindingsChanged(to count: Int) { sampler.bindingsChanged(to: count) }
}
