/// Compares valid JSON texts by what they mean: members in any order, numbers by value, strings by their characters.
struct JSONComparison {
    private var left: JSONCursor
    private var right: JSONCursor

    static func areEqual(_ left: String, _ right: String) -> Bool {
        if left.utf8.elementsEqual(right.utf8) { return true }
        var comparison = JSONComparison(left: JSONCursor(Array(left.utf8)), right: JSONCursor(Array(right.utf8)))
        return comparison.values()
    }

    private mutating func values() -> Bool {
        let (a, b) = (left.kind(), right.kind())
        guard a == b else { return false }
        switch a {
        case .object: return objects()
        case .array: return arrays()
        case .string: return left.string() == right.string()
        case .number: return left.number() == right.number()
        case .literal: return left.literal() == right.literal()
        }
    }

    private mutating func arrays() -> Bool {
        var (a, b) = (left.enter(), right.enter())
        while a, b {
            guard values() else { return false }
            (a, b) = (left.next(), right.next())
        }
        return a == b
    }

    private mutating func objects() -> Bool {
        let (a, b) = (left.members(), right.members())
        guard a.count == b.count else { return false }
        for (name, place) in a {
            guard let other = b[name] else { return false }
            var member = JSONComparison(left: left.moved(to: place), right: right.moved(to: other))
            guard member.values() else { return false }
        }
        return true
    }
}

/// A place in a valid JSON text.
private struct JSONCursor {
    enum Kind {
        case object
        case array
        case string
        case number
        case literal
    }

    /// A number without what its spelling adds: sign, significant digits, exponent of the last one.
    struct Number: Equatable {
        var isNegative = false
        var digits: [UInt8] = []
        var exponent = 0
    }

    private let text: [UInt8]
    private var position = 0

    init(_ text: [UInt8]) {
        self.text = text
    }

    func moved(to position: Int) -> JSONCursor {
        var cursor = self
        cursor.position = position
        return cursor
    }

    mutating func kind() -> Kind {
        skipWhiteSpace()
        switch text[position] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"): return .literal
        default: return .number
        }
    }

    /// Steps into an array or object; whether it has an element.
    mutating func enter() -> Bool {
        position += 1
        skipWhiteSpace()
        guard text[position] == UInt8(ascii: "]") || text[position] == UInt8(ascii: "}") else { return true }
        position += 1
        return false
    }

    /// Steps over what follows an element; whether another one comes.
    mutating func next() -> Bool {
        skipWhiteSpace()
        defer { position += 1 }
        return text[position] == UInt8(ascii: ",")
    }

    /// The places of an object's values by their names; the last of a doubled one counts.
    mutating func members() -> [[UInt32]: Int] {
        var places: [[UInt32]: Int] = [:]
        var hasMore = enter()
        while hasMore {
            skipWhiteSpace()
            let name = string()
            skipWhiteSpace()
            position += 1
            skipWhiteSpace()
            places[name] = position
            skipValue()
            hasMore = next()
        }
        return places
    }

    /// A string's UTF-16 or Unicode code points, escapes resolved; a pair of surrogates is one.
    mutating func string() -> [UInt32] {
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
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value)
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

    mutating func literal() -> UInt8 {
        defer { skipValue() }
        return text[position]
    }

    mutating func number() -> Number {
        var number = Number()
        var point = 0
        var hasPoint = false
        let start = position
        skipValue()
        var exponent = ""
        for (index, byte) in text[start..<position].enumerated() {
            switch byte {
            case UInt8(ascii: "-") where index == 0: number.isNegative = true
            case UInt8(ascii: "."): hasPoint = true
            case UInt8(ascii: "e"), UInt8(ascii: "E"):
                exponent = String(decoding: text[(start + index + 1)..<position], as: UTF8.self)
            case _ where exponent.isEmpty:
                number.digits.append(byte)
                if hasPoint { point += 1 }
            default: break
            }
        }
        number.exponent = (Int(exponent) ?? 0) - point
        while number.digits.last == UInt8(ascii: "0") {
            number.digits.removeLast()
            number.exponent += 1
        }
        number.digits = Array(number.digits.drop { $0 == UInt8(ascii: "0") })
        return number.digits.isEmpty ? Number() : number
    }

    private mutating func skipValue() {
        var depth = 0
        repeat {
            switch text[position] {
            case UInt8(ascii: "\""): _ = string()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                position += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                position += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x09, 0x0A, 0x0D: position += 1
            default:
                while position < text.count, !",:]} \t\n\r".utf8.contains(text[position]) { position += 1 }
            }
        } while depth > 0
    }

    private mutating func skipWhiteSpace() {
        while [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) { position += 1 }
    }
}
