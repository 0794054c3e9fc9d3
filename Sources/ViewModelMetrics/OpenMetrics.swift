public import ViewModelKit

/// The daemon's metrics, sampled at most once a second when a client reads or binds them.
@ViewModel("metrics")
public final class OpenMetrics: BindingObserver {
    /// All metrics, in the text format of OpenMetrics 1.0.
    @Output private(set) var text: String
    private let sampler: Sampler

    /// Creates the ViewModel for the metrics of a registry.
    public init(registry: MetricsRegistry, clock: SessionClock) {
        text = registry.text()
        sampler = Sampler(clock: clock, every: .seconds(1)) { [cell = $text] in cell.value = registry.text() }
    }

    /// Samples the metrics if the last sample is at least a second old.
    public func willBeRead() { sampler.willBeRead() }

    /// Samples the metrics once a second while a client is bound.
    public func bindingsChanged(to count: Int) { sampler.bindingsChanged(to: count) }
}

/// A writer for the text format of OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/).
struct OpenMetricsText {
    /// The suffixes of names that are units.
    private static let units = ["seconds", "bytes"]

    private var text = ""

    /// Appends a family: its metadata, then its series, sorted by their labels.
    mutating func append(_ family: MetricFamily, _ name: String, help: String?) {
        text += "# TYPE \(name) \(family.kind.rawValue)\n"
        if let unit = Self.units.first(where: { name.hasSuffix("_\($0)") }) { text += "# UNIT \(name) \(unit)\n" }
        if let help { text += "# HELP \(name) \(Self.escaped(help))\n" }
        for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
            switch series {
            case let counter as CountedValue: line("\(name)_total", labels, "\(counter.value)")
            case let gauge as CurrentValue: line(name, labels, Self.number(gauge.value))
            case let histogram as Histogram: append(histogram, name, labels)
            default: continue
            }
        }
    }

    /// Returns the text with its end marker.
    func finished() -> String { text + "# EOF\n" }

    /// Escapes a label's value or a help text.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private mutating func append(_ histogram: Histogram, _ name: String, _ labels: String) {
        let counts = histogram.cumulative
        let separator = labels.isEmpty ? "" : ","
        for (bound, count) in zip(histogram.bounds + [.infinity], counts) {
            line("\(name)_bucket", "\(labels)\(separator)le=\"\(Self.bound(bound))\"", "\(count)")
        }
        line("\(name)_count", labels, "\(counts.last ?? 0)")
        line("\(name)_sum", labels, Self.number(histogram.sum))
    }

    private mutating func line(_ name: String, _ labels: String, _ value: String) {
        text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(labels)} \(value)\n"
    }

    /// Returns a whole number without a fraction, and any other number with the fewest digits that identify it.
    private static func number(_ value: Double) -> String {
        if let whole = Int64(exactly: value) { return "\(whole)" }
        return value.isNaN ? "NaN" : bound(value)
    }

    /// Returns the text of a bound, always with a fraction (the specification's "canonical numbers").
    private static func bound(_ value: Double) -> String {
        value.isInfinite ? (value > 0 ? "+Inf" : "-Inf") : "\(value)"
    }
}
