import CoreMetrics
import Synchronization

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
