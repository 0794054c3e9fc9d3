import FoundationEssentials

/// Numbers that a backend states, brought into the range that dates and durations can hold.
extension Double {
    /// The longest lifetime of a device code that is believed, in seconds: a day.
    static let longestGrant = 86_400.0
    /// The longest lifetime of a token that is believed, in seconds: ten years.
    static let longestToken = 315_360_000.0

    /// The number, or the nearest bound of the range; the lower bound for a value that is no number.
    func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

extension Date {
    /// The end of a token whose lifetime a backend states in seconds.
    init(tokenLifetime seconds: Double) {
        self.init(timeIntervalSinceNow: seconds.clamped(to: 0...Double.longestToken))
    }
}
