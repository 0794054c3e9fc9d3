/// A value that does not fit its type: the data of error -32602 (protocol, section 2).
package struct ValueMismatch: Error, Sendable, Equatable {
    /// The position of the value, as a JSON Pointer (RFC 6901).
    package var path: String
    /// A description of the expected value.
    package var expected: String
    /// A short description of the value.
    package var found: String
    /// The error text of the type's own code, for a log.
    ///
    /// The text may contain internal details and is never sent to a client.
    package var cause: String?

    /// Creates a mismatch.
    ///
    /// A type's `init(from:)` throws a mismatch whose path begins at the type's value.
    package init(path: String = "", expected: String, found: String, cause: String? = nil) {
        self.path = path
        self.expected = expected
        self.found = found
        self.cause = cause
    }
}

extension ValueMismatch {
    /// The description of a missing member.
    static let nothing = "nothing"

    /// Returns one escaped step of a JSON Pointer.
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

    /// Describes a value: the text of a scalar, the contents of a string, or the kind of a container.
    ///
    /// Text is cut after 40 characters.
    static func describe(_ value: Bytes) -> String {
        switch JSONText.kind(of: value) {
        case .object: "an object"
        case .array: "an array"
        case .string where value.count >= 2: cut(JSONText.string(value.part(1..<(value.count - 1))))
        case .string, .number, .boolean, .null: cut(String(decoding: value, as: UTF8.self))
        }
    }

    /// Describes a decoded value in the same way.
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
