/// A secret of 256 random bits as 64 hexadecimal digits.
enum SecretText {
    static let length = 64

    /// Returns a new secret.
    static func make() -> String {
        var generator = SystemRandomNumberGenerator()
        return hexadecimal((0..<length / 2).map { _ in generator.next() as UInt8 })
    }

    /// Returns bytes as hexadecimal digits.
    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        let text = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a text has the form of a secret.
    static func isValid(_ text: String) -> Bool {
        text.utf8.count == length && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
    }

    /// Compares a secret with a text in a time that depends on the length of the text only.
    static func isEqual(_ secret: String, _ text: String) -> Bool {
        let (secret, text) = (Array(secret.utf8), Array(text.utf8))
        guard secret.count == text.count else { return false }
        var difference: UInt8 = 0
        for index in secret.indices { difference |= secret[index] ^ text[index] }
        return difference == 0
    }
}
