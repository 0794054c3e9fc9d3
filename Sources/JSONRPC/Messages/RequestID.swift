/// The id of a request, as the JSON text that its client wrote.
///
/// An id of up to 16 bytes is stored in place, and only a longer one is allocated. Two numbers are equal if their texts
/// are, two strings if their code points are (protocol, section 2).
package struct RequestID: Sendable {
    /// The bytes of a short text, with the first byte lowest, and zeros after them.
    var low: UInt64
    var high: UInt64
    /// A text of more than 16 bytes; nil for a short one.
    var long: [UInt8]?

    package static let null = RequestID("null")

    package static func number(_ text: String) -> Self {
        Self(text)
    }

    package static func string(_ value: String) -> Self {
        Self(JSONValue.string(value).description)
    }

    /// Copies the verified JSON text of a string, a number or null out of a message.
    package init(in message: Bytes, at range: Range<Int>) {
        (low, high, long) = (0, 0, nil)
        let (start, count) = (range.lowerBound, range.count)
        guard count <= 16 else {
            long = Array(message[range])
            return
        }
        if start &+ 16 <= message.count {
            low = message.word(at: start)
            if count > 8 {
                high = message.word(at: start &+ 8) & (UInt64.max &>> UInt64(truncatingIfNeeded: 128 &- 8 &* count))
            } else {
                low &= UInt64.max &>> UInt64(truncatingIfNeeded: 64 &- 8 &* count)
            }
        } else {
            for index in 0..<count {
                let byte = UInt64(message[start &+ index]) &<< UInt64(truncatingIfNeeded: 8 &* (index & 7))
                if index < 8 { low |= byte } else { high |= byte }
            }
        }
    }

    private init(_ text: String) {
        self = Array(text.utf8).withUnsafeBytes { Self(in: $0, at: 0..<$0.count) }
    }

    /// The length of the text in bytes.
    package var byteCount: Int {
        if let long { return long.count }
        let zeros = high == 0 ? 8 + low.leadingZeroBitCount / 8 : high.leadingZeroBitCount / 8
        return 16 - zeros
    }

    package func withText<Result>(_ body: (Bytes) throws -> Result) rethrows -> Result {
        if let long { return try long.withUnsafeBytes(body) }
        return try withUnsafeBytes(of: (low.littleEndian, high.littleEndian)) { try body($0.part(0..<byteCount)) }
    }

    package func write(to writer: inout JSONWriter) {
        withText { writer.raw($0) }
    }
}

extension RequestID: Hashable {
    /// Returns whether two ids are equal in JSON, which does not apply canonical equivalence.
    package static func == (left: RequestID, right: RequestID) -> Bool {
        left.hasSameText(as: right)
            || (left.hasEscapes || right.hasEscapes) && left.unescaped.hasSameText(as: right.unescaped)
    }

    /// Hashes the parts that `==` compares.
    package func hash(into hasher: inout Hasher) {
        let id = unescaped
        hasher.combine(id.low)
        hasher.combine(id.high)
        hasher.combine(id.long)
    }

    private func hasSameText(as other: RequestID) -> Bool {
        low == other.low && high == other.high && long == other.long
    }

    /// Whether the id is a string with escapes, so that another text may stand for the same string.
    private var hasEscapes: Bool { withText { $0.contains(ASCII.backslash) } }

    /// The code points of a string between two quotes; the same id for any other one.
    private var unescaped: Self {
        guard hasEscapes else { return self }
        return Self("\"" + withText { JSONText.string($0.part(1..<$0.count - 1)) } + "\"")
    }
}

extension RequestID: CustomStringConvertible {
    package var description: String { withText { String(decoding: $0, as: UTF8.self) } }
}

extension JSONValue {
    package init(_ id: RequestID) {
        self = id.withText { text in (try? JSONValue(parsing: text)) ?? .null }
    }
}

extension RequestID: Codable {
    /// Reads an id; throws a ``ValueMismatch`` for a value that cannot be the id of a request.
    package init(from decoder: any Decoder) throws {
        let value = try JSONValue(from: decoder)
        switch value {
        case .null, .number, .string: self.init(value.description)
        case .bool, .array, .object:
            throw ValueMismatch(expected: "a string, a number or null", found: ValueMismatch.describe(value))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        try JSONValue(self).encode(to: encoder)
    }
}
