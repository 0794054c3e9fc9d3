extension Sequence<UInt8> {
    /// The bytes in lowercase hexadecimal, two digits each.
    package var hexadecimal: String {
        reduce(into: "") { text, byte in
            let digits = String(byte, radix: 16)
            text += digits.count == 1 ? "0\(digits)" : digits
        }
    }
}
