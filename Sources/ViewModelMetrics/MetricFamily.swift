import CoreMetrics
import Synchronization

/// The series with one name.
///
/// They differ in their labels.
struct MetricFamily: Sendable {
    enum Kind: String {
        case counter
        case gauge
        case histogram
    }

    let kind: Kind
    /// The series by the texts of their labels.
    var series: [String: any AnyObject & Sendable] = [:]

    /// Returns the text of a series' labels: `name="value",…`, sorted by name; empty without labels.
    static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.sorted { $0.0 < $1.0 }
            .map { "\(MetricName.valid($0, allowsColon: false))=\"\(OpenMetricsText.escaped($1))\"" }
            .joined(separator: ",")
    }
}

/// The rules of OpenMetrics for names.
enum MetricName {
    /// Returns a valid name: letters, digits, `_` and `:`, without a leading digit.
    ///
    /// `_` replaces any other character.
    static func valid(_ label: String, allowsColon: Bool = true) -> String {
        var name = ""
        for scalar in label.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "_": name.unicodeScalars.append(scalar)
            case "0"..."9" where !name.isEmpty: name.unicodeScalars.append(scalar)
            case ":" where allowsColon: name.unicodeScalars.append(scalar)
            default: name += "_"
            }
        }
        return name.isEmpty ? "_" : name
    }

    /// Returns the name of a counter's family: the label without the suffix `_total`, which only its samples have.
    static func family(ofCounter label: String) -> String {
        let name = valid(label)
        return name.hasSuffix("_total") ? String(name.dropLast("_total".count)) : name
    }
}

/// A counter.
///
/// An increment is one relaxed atomic addition.
final class CountedValue: CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Int64 { count.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        count.wrappingAdd(amount, ordering: .relaxed)
    }

    func reset() {
        count.store(0, ordering: .relaxed)
    }
}

/// A gauge.
///
/// The last recorded value wins.
final class CurrentValue: MeterHandler, RecorderHandler {
    private let bits = Atomic(Double.zero.bitPattern)

    var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    func set(_ value: Int64) { set(Double(value)) }

    func increment(by amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (isDone, found) = bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if isDone { return }
            old = found
        }
    }

    func decrement(by amount: Double) { increment(by: -amount) }

    func record(_ value: Double) { set(value) }

    func record(_ value: Int64) { set(value) }
}

/// A histogram with fixed bounds.
///
/// Recording a value costs a linear search among the bounds, a relaxed addition and a compare-and-exchange.
final class Histogram: RecorderHandler, TimerHandler {
    /// Bounds from 0.1 ms to 10 s, for durations in seconds.
    static let seconds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// The upper bounds of the buckets.
    ///
    /// The last bucket has no upper bound.
    let bounds: [Double]
    private let counts: [CountedValue]
    private let total = CurrentValue()

    /// - Parameter bounds: The upper bounds, ascending.
    init(bounds: [Double]) {
        self.bounds = bounds
        counts = (0...bounds.count).map { _ in CountedValue() }
    }

    /// The number of values up to each bound, and last the number of all values.
    var cumulative: [Int64] {
        var sum: Int64 = 0
        return counts.map { count in
            sum += count.value
            return sum
        }
    }

    var sum: Double { total.value }

    func record(_ value: Double) {
        counts[bounds.firstIndex { value <= $0 } ?? bounds.count].increment(by: 1)
        total.increment(by: value)
    }

    func record(_ value: Int64) { record(Double(value)) }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
}
