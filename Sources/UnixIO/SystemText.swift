extension String {
    /// Creates the text of a path, an argument or a variable, of which the system has only the bytes.
    ///
    /// A byte that is not UTF-8 becomes U+FFFD, U+0000 and the scalar with the value of the byte. What the system names
    /// has no zero byte, so a text that is UTF-8 never looks like this. A function of C that gets the text itself sees
    /// the repaired text up to U+FFFD, and so no other file that exists.
    ///
    /// - Parameter bytes: The bytes, without the final zero.
    package init(systemBytes bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        self.init()
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let encoded):
                unicodeScalars.append(UTF8.decode(encoded))
                offset += encoded.count
            case .error(let length):
                for byte in bytes[offset..<offset + length] {
                    unicodeScalars.append(contentsOf: ["\u{FFFD}", "\0", Unicode.Scalar(byte)])
                }
                offset += length
            case .emptyInput: return
            }
        }
    }

    /// Creates the text of a string of C, which has the bytes of the system.
    package init(systemCString text: UnsafePointer<CChar>) {
        var end = text
        while end.pointee != 0 { end += 1 }
        self.init(systemBytes: UnsafeBufferPointer(start: text, count: end - text).map(UInt8.init(bitPattern:)))
    }

    /// The bytes that the text stands for, without a final zero.
    package var systemBytes: [UInt8] {
        guard utf8.contains(0) else { return Array(utf8) }
        var bytes: [UInt8] = []
        var rest = unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if scalar == "\u{FFFD}", rest.first == "\0", case let note = rest.dropFirst(), let byte = note.first,
                0x80...0xFF ~= byte.value
            {
                bytes.append(UInt8(byte.value))
                rest = note.dropFirst()
            } else {
                bytes += UTF8.encode(scalar).map(Array.init) ?? []
            }
        }
        return bytes
    }

    /// The bytes that the text stands for, with a final zero.
    package var cPath: [CChar] { systemBytes.map(CChar.init(bitPattern:)) + [0] }

    /// Whether the text stands for bytes that are not UTF-8.
    package var isNotUTF8: Bool { utf8.contains(0) && String(validating: systemBytes, as: UTF8.self) == nil }

    /// The text for people, in which each byte that is not UTF-8 is U+FFFD.
    package var shown: String { isNotUTF8 ? String(decoding: systemBytes, as: UTF8.self) : self }
}
