import FoundationEssentials

/// Bounds for the numbers in a backend's answers, so that dates and durations can hold them.
extension Double {
    /// The maximum lifetime of a device code in seconds: one day.
    static let longestGrant = 86_400.0
    /// The maximum lifetime of a token in seconds: ten years.
    static let longestToken = 315_360_000.0

    /// Returns the number or the nearest bound of the range; NaN becomes the lower bound.
    func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

extension Date {
    /// Creates the expiry of a token from the lifetime in seconds that a backend sent.
    init(tokenLifetime seconds: Double) {
        self.init(timeIntervalSinceNow: seconds.clamped(to: 0...Double.longestToken))
    }
}
