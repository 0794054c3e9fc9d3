/// A value that does not fit its type: the data of error -32602 (protocol, section 2).
public struct ValueMismatch: Error, Sendable, Equatable {
    /// Where the value stands, as a JSON Pointer (RFC 6901).
    public var path: String
    /// What would have fitted, in words.
    public var expected: String
    /// What stands there, in short.
    public var found: String
    /// What the code of the value's type said of it, for a log.
    ///
    /// It is the type's own text, so no client gets it.
    public var cause: String?

    /// Makes a mismatch; a type's `init(from:)` throws one whose path begins at its value.
    public init(path: String = "", expected: String, found: String, cause: String? = nil) {
        self.path = path
        self.expected = expected
        self.found = found
        self.cause = cause
    }
}

extension ValueMismatch {
    /// What a member that is not there was found to be.
    static let nothing = "nothing"

    /// One step of a JSON Pointer, escaped.
    static func step(_ name: String) -> String {
        guard name.utf8.contains(where: { $0 == 0x7E || $0 == 0x2F }) else { return "/" + name }
        return name.reduce(into: "/") { path, character in
            switch character {
            case "~": path += "~0"
            case "/": path += "~1"
            default: path.append(character)
            }
        }
    }

    /// A value in short: a scalar's text, a string's value, the kind of anything else.
    static func describe(_ value: Bytes) -> String {
        switch JSONText.kind(of: value) {
        case .object: "an object"
        case .array: "an array"
        case .string where value.count >= 2: cut(JSONText.string(value.part(1..<(value.count - 1))))
        case .string, .number, .boolean, .null: cut(String(decoding: value, as: UTF8.self))
        }
    }

    /// The same for a value that was read already.
    package static func describe(_ value: JSONValue) -> String {
        switch value {
        case .object: "an object"
        case .array: "an array"
        case .string(let text): cut(text)
        default: cut("\(value)")
        }
    }

    private static func cut(_ text: String) -> String {
        let limit = 40
        guard let end = text.index(text.startIndex, offsetBy: limit, limitedBy: text.endIndex),
            end < text.endIndex
        else { return text }
        return text[..<end] + "…"
    }
}
