public import CoreMetrics
import Synchronization

/// A registry of a process's metrics that writes them as OpenMetrics text.
///
///     let registry = MetricsRegistry()
///     MetricsSystem.bootstrap(registry)
///
/// A counter is an OpenMetrics counter. A gauge and a meter are gauges. A recorder and a timer are histograms; a
/// timer's unit is the second. A label and a set of dimensions identify one series, which is created once. A series
/// stays for the life of the process, because a reader must not see it vanish.
///
/// Isolation: the registry can be used from any thread. Creating or finding a series takes a lock; recording a value
/// does not.
public final class MetricsRegistry: MetricsFactory {
    private let families = Mutex<[String: MetricFamily]>([:])
    private let help: [String: String]

    /// Creates an empty registry.
    ///
    /// - Parameter help: The descriptions of metrics, by their labels without `_total`.
    public init(help: [String: String] = [:]) {
        self.help = help
    }

    /// Returns all metrics in the text format of OpenMetrics 1.0, with the families sorted by name.
    public func text() -> String {
        let families = families.withLock { $0 }
        var text = OpenMetricsText()
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.append(family, name, help: help[name])
        }
        return text.finished()
    }

    /// Returns the counter with a label and dimensions.
    ///
    /// The first call creates it.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        make(.counter, MetricName.family(ofCounter: label), dimensions) { CountedValue() }
    }

    /// Returns the histogram with a label and dimensions, or the gauge if `aggregate` is false.
    ///
    /// The first call creates it.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return makeGauge(label, dimensions) }
        return makeHistogram(label, dimensions)
    }

    /// Returns the histogram of seconds with a label and dimensions.
    ///
    /// The first call creates it.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        makeHistogram(label, dimensions)
    }

    /// Returns the gauge with a label and dimensions.
    ///
    /// The first call creates it.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        makeGauge(label, dimensions)
    }

    /// Has no effect, because a series stays for the life of the process.
    public func destroyCounter(_ handler: any CounterHandler) {}

    /// Has no effect, because a series stays for the life of the process.
    public func destroyRecorder(_ handler: any RecorderHandler) {}

    /// Has no effect, because a series stays for the life of the process.
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func makeGauge(_ label: String, _ dimensions: [(String, String)]) -> CurrentValue {
        make(.gauge, MetricName.valid(label), dimensions) { CurrentValue() }
    }

    private func makeHistogram(_ label: String, _ dimensions: [(String, String)]) -> Histogram {
        make(.histogram, MetricName.valid(label), dimensions) { Histogram(bounds: Histogram.seconds) }
    }

    /// Finds or creates a series.
    ///
    /// If the family has another kind, the new series counts but is not in the text.
    private func make<Series: AnyObject & Sendable>(
        _ kind: MetricFamily.Kind,
        _ name: String,
        _ dimensions: [(String, String)],
        _ body: () -> Series
    ) -> Series {
        let labels = MetricFamily.labels(dimensions)
        return families.withLock { families in
            var family = families[name] ?? MetricFamily(kind: kind)
            if let series = family.series[labels] as? Series { return series }
            let series = body()
            guard family.kind == kind else { return series }
            family.series[labels] = series
            families[name] = family
            return series
        }
    }
}
