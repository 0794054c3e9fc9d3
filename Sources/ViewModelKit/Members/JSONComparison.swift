/// The comparison of valid JSON texts: members in any order, numbers by value, strings by their characters.
///
/// Each text is read once, whatever its depth.
enum JSONComparison {
    static func areEqual(_ left: String, _ right: String) -> Bool {
        if left.utf8.elementsEqual(right.utf8) { return true }
        var (first, second) = (JSONReader(Array(left.utf8)), JSONReader(Array(right.utf8)))
        return first.value() == second.value()
    }
}

/// The meaning of a JSON text.
private indirect enum JSONMeaning: Equatable {
    /// Member values by the UTF-8 of their names.
    ///
    /// The last one of a repeated name counts.
    case object([[UInt8]: JSONMeaning])
    case array([JSONMeaning])
    /// UTF-8 with resolved escapes.
    case string([UInt8])
    case number(JSONMagnitude)
    /// The first letter of `true`, `false` or `null`.
    case literal(UInt8)
}

/// A number without its spelling: sign, significant digits, and the exponent of the last digit.
private struct JSONMagnitude: Equatable {
    var isNegative = false
    var digits: [UInt8] = []
    var exponent = 0
    /// The text of an exponent that is outside of `countable`.
    var vastExponent = ""

    /// The exponents with which sums are computed.
    ///
    /// The range is far from the bounds of `Int`, and no text has enough digits to leave that distance.
    private static let countable = -(1 << 53)...(1 << 53)

    init(_ text: ArraySlice<UInt8>) {
        var point = 0
        var hasPoint = false
        var digits: [UInt8] = []
        loop: for (offset, byte) in text.enumerated() {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                let written = String(decoding: text.dropFirst(offset + 1), as: UTF8.self)
                if let value = Int(written), Self.countable.contains(value) {
                    exponent = value
                } else {
                    vastExponent = written
                }
                break loop
            default:
                digits.append(byte)
                if hasPoint { point += 1 }
            }
        }
        let significant = digits.drop { $0 == UInt8(ascii: "0") }
        guard let last = significant.lastIndex(where: { $0 != UInt8(ascii: "0") }) else {
            // Zero has no sign and no exponent.
            isNegative = false
            (exponent, vastExponent) = (0, "")
            return
        }
        exponent += digits.count - 1 - last - point
        self.digits = Array(significant[...last])
    }
}

/// A parser of one valid JSON text.
private struct JSONReader {
    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    mutating func value() -> JSONMeaning {
        skipWhiteSpace()
        switch text[position] {
        case UInt8(ascii: "{"):
            var members: [[UInt8]: JSONMeaning] = [:]
            var hasMore = enter()
            while hasMore {
                skipWhiteSpace()
                let name = string()
                skipWhiteSpace()
                position += 1
                members[name] = value()
                hasMore = next()
            }
            return .object(members)
        case UInt8(ascii: "["):
            var elements: [JSONMeaning] = []
            var hasMore = enter()
            while hasMore {
                elements.append(value())
                hasMore = next()
            }
            return .array(elements)
        case UInt8(ascii: "\""):
            return .string(string())
        case let letter where letter == UInt8(ascii: "t") || letter == UInt8(ascii: "f") || letter == UInt8(ascii: "n"):
            _ = scalar()
            return .literal(letter)
        default:
            return .number(JSONMagnitude(scalar()))
        }
    }

    /// Enters an array or object.
    ///
    /// Returns whether it has an element.
    private mutating func enter() -> Bool {
        position += 1
        skipWhiteSpace()
        guard text[position] == UInt8(ascii: "]") || text[position] == UInt8(ascii: "}") else { return true }
        position += 1
        return false
    }

    /// Skips the separator after an element.
    ///
    /// Returns whether another element follows.
    private mutating func next() -> Bool {
        skipWhiteSpace()
        defer { position += 1 }
        return text[position] == UInt8(ascii: ",")
    }

    /// Reads a number or a literal.
    private mutating func scalar() -> ArraySlice<UInt8> {
        let start = position
        while position < text.count, !",:]} \t\n\r".utf8.contains(text[position]) { position += 1 }
        return text[start..<position]
    }

    /// Reads a string and returns its UTF-8 with resolved escapes.
    private mutating func string() -> [UInt8] {
        var bytes: [UInt8] = []
        position += 1
        while text[position] != UInt8(ascii: "\"") {
            guard text[position] == UInt8(ascii: "\\") else {
                bytes.append(text[position])
                position += 1
                continue
            }
            bytes.append(contentsOf: escape())
        }
        position += 1
        return bytes
    }

    private mutating func escape() -> [UInt8] {
        let mark = text[position + 1]
        position += 2
        switch mark {
        case UInt8(ascii: "b"): return [8]
        case UInt8(ascii: "f"): return [12]
        case UInt8(ascii: "n"): return [10]
        case UInt8(ascii: "r"): return [13]
        case UInt8(ascii: "t"): return [9]
        case UInt8(ascii: "u"):
            var units = [unit()]
            if UTF16.isLeadSurrogate(units[0]) {
                position += 2
                units.append(unit())
            }
            return Array(String(decoding: units, as: UTF16.self).utf8)
        default: return [mark]
        }
    }

    private mutating func unit() -> UInt16 {
        defer { position += 4 }
        return UInt16(String(decoding: text[position..<position + 4], as: UTF8.self), radix: 16) ?? 0
    }

    private mutating func skipWhiteSpace() {
        while [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
    }
}
