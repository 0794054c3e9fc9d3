extension [UInt8] {
    /// Returns whether two secrets are equal, in a time that does not depend on where they differ.
    package func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
