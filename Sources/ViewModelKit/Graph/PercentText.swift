/// Bytes as printable ASCII, so that texts are equal if and only if their bytes are, and every database accepts them.
package enum PercentText {
    /// Returns the text of bytes.
    package static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.reduce(into: "") { text, byte in
            if (0x21...0x7e).contains(byte), byte != UInt8(ascii: "%") {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += (byte < 16 ? "%0" : "%") + String(byte, radix: 16)
            }
        }
    }

    /// Returns the bytes of a text.
    package static func decode(_ text: Substring) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = text.utf8
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
