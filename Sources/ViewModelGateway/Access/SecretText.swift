import Digests

/// A secret of 256 random bits as 64 hexadecimal digits.
enum SecretText {
    static let length = 64

    static func make() -> String { [UInt8].random(count: length / 2).hexadecimal }

    static func isValid(_ text: String) -> Bool {
        text.utf8.count == length && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }

    /// Compares a secret with a text in a time that depends on the length of the text only.
    static func isEqual(_ secret: String, _ text: String) -> Bool {
        Array(secret.utf8).isEqualInConstantTime(to: Array(text.utf8))
    }
}
