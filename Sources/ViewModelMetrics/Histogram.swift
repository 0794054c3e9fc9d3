import CoreMetrics

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
