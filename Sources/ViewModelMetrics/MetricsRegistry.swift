public import CoreMetrics
import Synchronization

/// Keeps a process's metrics and writes them down as OpenMetrics text.
///
///     let registry = MetricsRegistry()
///     MetricsSystem.bootstrap(registry)
///
/// Counters become counters, gauges and meters gauges; recorders and timers become histograms, timers in seconds. One
/// label and one set of dimensions is one series, however often it is made; a series stays for the life of the process,
/// as who reads it must not see it vanish. Isolation: used from anywhere; what is counted takes no lock.
public final class MetricsRegistry: MetricsFactory {
    private let families = Mutex<[String: MetricFamily]>([:])
    private let help: [String: String]

    /// Makes an empty registry.
    ///
    /// - Parameter help: what a family of metrics means, by its label without `_total`.
    public init(help: [String: String] = [:]) {
        self.help = help
    }

    /// All metrics in the text format of OpenMetrics 1.0, the families in the order of their names.
    public func text() -> String {
        let families = families.withLock { $0 }
        var text = OpenMetricsText()
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.append(family, name, help: help[name])
        }
        return text.finished()
    }

    /// Makes a counter or finds the one of that label and these dimensions.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        make(.counter, MetricName.family(ofCounter: label), dimensions) { CountedValue() }
    }

    /// Makes a histogram, or a gauge where nothing is aggregated, or finds the one there is.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return makeGauge(label, dimensions) }
        return makeHistogram(label, dimensions)
    }

    /// Makes a histogram of seconds or finds the one there is.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        makeHistogram(label, dimensions)
    }

    /// Makes a gauge or finds the one there is.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        makeGauge(label, dimensions)
    }

    /// Does nothing: a series stays.
    public func destroyCounter(_ handler: any CounterHandler) {}

    /// Does nothing: a series stays.
    public func destroyRecorder(_ handler: any RecorderHandler) {}

    /// Does nothing: a series stays.
    public func destroyTimer(_ handler: any TimerHandler) {}

    /// Does nothing: a series stays.
    public func destroyMeter(_ handler: any MeterHandler) {}

    private func makeGauge(_ label: String, _ dimensions: [(String, String)]) -> CurrentValue {
        make(.gauge, MetricName.valid(label), dimensions) { CurrentValue() }
    }

    private func makeHistogram(_ label: String, _ dimensions: [(String, String)]) -> Histogram {
        make(.histogram, MetricName.valid(label), dimensions) { Histogram(bounds: Histogram.seconds) }
    }

    /// Finds a series or makes it; one whose family is of another kind already is counted, but never shown.
    private func make<Series: AnyObject & Sendable>(
        _ kind: MetricFamily.Kind,
        _ name: String,
        _ dimensions: [(String, String)],
        _ body: () -> Series
    ) -> Series {
        let labels = MetricLabels(dimensions)
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
