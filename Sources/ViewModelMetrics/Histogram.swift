import CoreMetrics

/// How many values fell into each of fixed ranges.
///
/// One value costs a search among the bounds and two relaxed additions.
final class Histogram: RecorderHandler, TimerHandler {
    /// From a tenth of a millisecond to ten seconds, for durations in seconds.
    static let seconds = [
        0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    /// The upper bounds of the ranges but the last, which has none.
    let bounds: [Double]
    private let counts: [CountedValue]
    private let total = CurrentValue()

    /// - Parameter bounds: ascending.
    init(bounds: [Double]) {
        self.bounds = bounds
        counts = (0...bounds.count).map { _ in CountedValue() }
    }

    /// How many values were at most each bound, and in the end how many there were.
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
