extension [UInt8] {
    /// Returns random bytes of the system, for a key.
    package static func random(count: Int) -> [UInt8] {
        (0..<count).map { _ in .random(in: .min ... .max) }
    }
}
