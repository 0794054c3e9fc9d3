extension Sequence<UInt8> {
    /// The bytes as lower-case hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Returns random bytes of the system, for a key.
    package static func random(count: Int) -> [UInt8] {
        (0..<count).map { _ in .random(in: .min ... .max) }
    }

    /// Returns whether two secrets are equal, in a time that does not depend on where they differ.
    package func isEqualInConstantTime(to other: [UInt8]) -> Bool {
        count == other.count && zip(self, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
