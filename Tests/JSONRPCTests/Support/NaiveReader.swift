/// A second reader of JSON that shares nothing with the first: recursive, over Unicode scalars, slow and plain.
struct NaiveReader {
    indirect enum Value: Equatable {
        case null, bool(Bool), number(String), string(String), array([Value]), object([(String, Value)])

        static func == (left: Value, right: Value) -> Bool {
            "\(left)" == "\(right)"
        }
    }

    struct Refusal: Error {}

    private let scalars: [Unicode.Scalar]
    private var position = 0

    static func read(_ bytes: [UInt8]) -> Value? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var reader = NaiveReader(scalars: Array(text.unicodeScalars))
        guard let value = try? reader.value(level: 1) else { return nil }
        reader.space()
        return reader.position == reader.scalars.count ? value : nil
    }

    private init(scalars: [Unicode.Scalar]) {
        self.scalars = scalars
    }

    private var current: Unicode.Scalar? {
        position < scalars.count ? scalars[position] : nil
    }

    private mutating func space() {
        while let scalar = current, " \t\r\n".unicodeScalars.contains(scalar) { position += 1 }
    }

    private mutating func take(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard position + wanted.count <= scalars.count, Array(scalars[position..<(position + wanted.count)]) == wanted
        else { return false }
        position += wanted.count
        return true
    }

    private mutating func value(level: Int) throws -> Value {
        space()
        if take("null") { return .null }
        if take("true") { return .bool(true) }
        if take("false") { return .bool(false) }
        if current == "\"" { return .string(try string()) }
        if take("[") {
            guard level <= 128 else { throw Refusal() }
            var elements: [Value] = []
            space()
            if take("]") { return .array([]) }
            repeat {
                elements.append(try value(level: level + 1))
                space()
            } while take(",")
            guard take("]") else { throw Refusal() }
            return .array(elements)
        }
        if take("{") {
            guard level <= 128 else { throw Refusal() }
            var members: [(String, Value)] = []
            space()
            if take("}") { return .object([]) }
            repeat {
                space()
                let name = try string()
                space()
                guard take(":") else { throw Refusal() }
                members.append((name, try value(level: level + 1)))
                space()
            } while take(",")
            guard take("}") else { throw Refusal() }
            return .object(members)
        }
        return .number(try number())
    }

    private mutating func digits() throws -> String {
        var text = ""
        while let scalar = current, ("0"..."9").contains(scalar) {
            text.unicodeScalars.append(scalar)
            position += 1
        }
        guard !text.isEmpty else { throw Refusal() }
        return text
    }

    private mutating func number() throws -> String {
        var text = take("-") ? "-" : ""
        let whole = try digits()
        guard whole == "0" || !whole.hasPrefix("0") else { throw Refusal() }
        text += whole
        if take(".") { text += "." + (try digits()) }
        if let scalar = current, scalar == "e" || scalar == "E" {
            text.unicodeScalars.append(scalar)
            position += 1
            if take("+") { text += "+" } else if take("-") { text += "-" }
            text += try digits()
        }
        return text
    }

    private mutating func unit() throws -> UInt16 {
        guard position + 4 <= scalars.count else { throw Refusal() }
        let digits = scalars[position..<(position + 4)]
        guard digits.allSatisfy(\.properties.isASCIIHexDigit) else { throw Refusal() }
        position += 4
        guard let unit = UInt16(String(String.UnicodeScalarView(digits)), radix: 16) else { throw Refusal() }
        return unit
    }

    private mutating func string() throws -> String {
        guard take("\"") else { throw Refusal() }
        var units: [UInt16] = []
        while let scalar = current {
            position += 1
            switch scalar {
            case "\"":
                guard let text = String(validating: units, as: UTF16.self) else { throw Refusal() }
                return text
            case "\\":
                guard let letter = current else { throw Refusal() }
                position += 1
                let plain: [Unicode.Scalar: UInt16] = [
                    "\"": 0x22, "\\": 0x5C, "/": 0x2F, "b": 8, "f": 12, "n": 10, "r": 13, "t": 9,
                ]
                if letter == "u" {
                    units.append(try unit())
                } else if let unit = plain[letter] {
                    units.append(unit)
                } else {
                    throw Refusal()
                }
            case "\0"..."\u{1F}":
                throw Refusal()
            default:
                units.append(contentsOf: UTF16.encode(scalar).map(Array.init) ?? [])
            }
        }
        throw Refusal()
    }
}
