package import FoundationEssentials

extension Date {
    /// The microseconds since 1970, the form in which times are stored.
    package var microseconds: Int64 {
        let value = timeIntervalSince1970 * 1_000_000
        return Int64(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }

    package init(microseconds: Int64) {
        self.init(timeIntervalSince1970: Double(microseconds) / 1_000_000)
    }
}

extension Duration {
    /// The whole microseconds, clamped to 0 and about 10,000 years, so that sums with an age cannot trap.
    package var microseconds: Int64 {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(315_576_000_000)).components
        return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
    }
}
