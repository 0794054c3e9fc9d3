/// A buffer that JSON text is appended to.
///
/// The writer adds no line feed, so that a message stays on one line. The `raw` methods append their text unchanged.
@usableFromInline package struct JSONWriter: Sendable {
    /// The text so far.
    @usableFromInline package var bytes: [UInt8]

    package init() {
        bytes = []
    }

    package init(reserving capacity: Int) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Appends constant JSON text unchanged.
    package mutating func raw(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends verified JSON text unchanged.
    package mutating func raw(_ text: Bytes) {
        bytes.append(contentsOf: text)
    }

    /// Appends verified JSON text unchanged.
    package mutating func raw(_ text: [UInt8]) {
        bytes.append(contentsOf: text)
    }

    package mutating func byte(_ byte: UInt8) {
        bytes.append(byte)
    }

    package mutating func bool(_ value: Bool) {
        raw(value ? "true" : "false")
    }

    package mutating func null() {
        raw("null")
    }
}

extension JSONWriter {
    @inlinable
    package mutating func integer(_ value: some FixedWidthInteger) {
        if let value = Int64(exactly: value) {
            decimal(value.magnitude, isNegative: value < 0)
        } else if let value = UInt64(exactly: value) {
            decimal(value, isNegative: false)
        } else {
            bytes.append(contentsOf: value.description.utf8)
        }
    }

    @usableFromInline
    mutating func decimal(_ magnitude: UInt64, isNegative: Bool) {
        write(atMost: BoundedJSONWriter.longestInteger) { $0.decimal(magnitude, isNegative: isNegative) }
    }

    /// Appends a floating-point number with the fewest digits that read back to the same value.
    ///
    /// An integral number below 2^53 has no point and no exponent.
    ///
    /// - Parameter value: A finite number. Infinity and NaN are programming errors and trap.
    package mutating func double(_ value: Double) {
        precondition(value.isFinite, "JSON has no infinity and no NaN")
        if value.magnitude < 0x1p53, value == value.rounded(.towardZero), value != 0 || value.sign == .plus {
            decimal(UInt64(value.magnitude), isNegative: value < 0)
        } else {
            shortest(value.description)
        }
    }

    /// Appends a number as ``double(_:)`` does, with the fewest digits that a `Float` needs.
    mutating func float(_ value: Float) {
        let isIntegral = value.magnitude < 0x1p24 && value == value.rounded(.towardZero)
        if isIntegral { double(Double(value)) } else { shortest(value.description) }
    }

    /// Appends Swift's description of a number without a final `.0`.
    ///
    /// The rest of the description is valid JSON.
    private mutating func shortest(_ description: String) {
        let text = description.utf8
        bytes.append(contentsOf: description.hasSuffix(".0") ? text.dropLast(2) : text[...])
    }
}

extension JSONWriter {
    /// Appends a string in quotes.
    ///
    /// Only the quote, the backslash and the characters below U+0020 are escaped.
    package mutating func string(_ value: String) {
        bytes.append(ASCII.quote)
        let written: Void? = value.utf8.withContiguousStorageIfAvailable { contents(Bytes($0)) }
        if written == nil {
            Array(value.utf8).withUnsafeBytes { contents($0) }
        }
        bytes.append(ASCII.quote)
    }

    private mutating func contents(_ text: Bytes) {
        var start = 0
        while start < text.count {
            let end = Self.endOfPlain(text, from: start)
            bytes.append(contentsOf: text.part(start..<end))
            guard end < text.count else { return }
            escape(text[end])
            start = end &+ 1
        }
    }

    /// Returns the offset of the first byte that must be escaped.
    @inline(__always)
    private static func endOfPlain(_ text: Bytes, from start: Int) -> Int {
        var offset = start
        while offset &+ 8 <= text.count {
            let mark = SWAR.escaped(text.word(at: offset))
            guard mark == 0 else { return offset &+ (mark.trailingZeroBitCount &>> 3) }
            offset &+= 8
        }
        while offset < text.count {
            let byte = text[offset]
            if byte < ASCII.space || byte == ASCII.quote || byte == ASCII.backslash { break }
            offset &+= 1
        }
        return offset
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case ASCII.quote: raw(#"\""#)
        case ASCII.backslash: raw(#"\\"#)
        case 0x08: raw(#"\b"#)
        case 0x09: raw(#"\t"#)
        case 0x0A: raw(#"\n"#)
        case 0x0C: raw(#"\f"#)
        case 0x0D: raw(#"\r"#)
        default:
            raw(#"\u00"#)
            bytes.append(byte < 0x10 ? 0x30 : 0x31)
            let low = byte & 0x0F
            bytes.append(low < 10 ? 0x30 + low : 0x57 + low)
        }
    }
}
