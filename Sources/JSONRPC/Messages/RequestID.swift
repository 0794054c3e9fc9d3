/// The id of a request.
///
/// Two numbers are equal if their texts are, two strings if their code points are (protocol, section 2).
package enum RequestID: Sendable {
    /// `null`.
    case null
    /// The text of a number.
    case number(String)
    /// The value of a string.
    case string(String)

    /// Reads the verified JSON text of a string, a number or null.
    package init(lexeme: Bytes) {
        switch lexeme.first {
        case ASCII.quote where lexeme.count >= 2:
            self = .string(JSONText.string(lexeme.part(1..<(lexeme.count - 1))))
        case 0x6E, nil:
            self = .null
        default:
            self = .number(String(decoding: lexeme, as: UTF8.self))
        }
    }

    /// The length of the id in bytes.
    package var byteCount: Int {
        switch self {
        case .null: 0
        case .number(let text), .string(let text): text.utf8.count
        }
    }

    /// Appends the id's JSON text.
    ///
    /// A number keeps its text; a string may be escaped in another way.
    package func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .number(let text): writer.bytes.append(contentsOf: text.utf8)
        case .string(let value): writer.string(value)
        }
    }
}

extension RequestID: Hashable {
    /// Returns whether two ids are equal in JSON, which does not apply canonical equivalence.
    package static func == (left: RequestID, right: RequestID) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.number(let left), .number(let right)): ExactString(left) == ExactString(right)
        case (.string(let left), .string(let right)): ExactString(left) == ExactString(right)
        default: false
        }
    }

    /// Hashes the parts that `==` compares.
    package func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .number(let text): ExactString(text).hash(into: &hasher)
        case .string(let value): ExactString(value).hash(into: &hasher)
        }
    }
}
