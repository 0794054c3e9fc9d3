/// The permissions of a file, as chmod(1) writes them.
package struct FileMode: Equatable, Sendable {
    package let bits: UInt32

    init(_ bits: UInt32) {
        self.bits = bits
    }

    /// Reads octal digits: `660`, `0660` and `0o660` are the same.
    ///
    /// Nil for what is no mode of a socket: its owner reads and writes, and there is nothing but permissions in it.
    init?(octal text: String) {
        let digits = text.hasPrefix("0o") ? text.dropFirst(2) : text.hasPrefix("0") ? text.dropFirst() : text[...]
        guard digits.count == 3, digits.allSatisfy(\.isASCII), let bits = UInt32(digits, radix: 8) else { return nil }
        guard bits & 0o600 == 0o600 else { return nil }
        self.bits = bits
    }

    /// Four octal digits.
    var text: String {
        let digits = String(bits, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
