extension Int64 {
    /// Returns the sum, or `max` or `min` on overflow.
    func clamped(plus other: Int64) -> Int64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? (other > 0 ? .max : .min) : sum
    }

    /// Returns the difference, or `max` or `min` on overflow.
    func clamped(minus other: Int64) -> Int64 {
        let (difference, isOver) = subtractingReportingOverflow(other)
        return isOver ? (other > 0 ? .min : .max) : difference
    }
}
