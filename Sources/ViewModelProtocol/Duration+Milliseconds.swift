extension Duration {
    /// The duration in milliseconds, rounded up; 0 for a negative duration.
    package var wholeMilliseconds: Int {
        let (seconds, attoseconds) = components
        let (milliseconds, overflow) = Int(clamping: seconds).multipliedReportingOverflow(by: 1000)
        guard !overflow else { return seconds < 0 ? 0 : .max }
        let part = Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
        return max(0, milliseconds + part)
    }
}
