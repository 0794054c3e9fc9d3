/// The id of a request.
///
/// Numbers compare as they are written, strings by their code points (protocol, section 2).
public enum RequestID: Sendable {
    /// `null`.
    case null
    /// A number, as it was written.
    case number(String)
    /// A string's value.
    case string(String)

    /// Reads the verified JSON text of a string, a number or null.
    public init(lexeme: Bytes) {
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
    public var byteCount: Int {
        switch self {
        case .null: 0
        case .number(let text), .string(let text): text.utf8.count
        }
    }

    /// Appends the id's JSON text: a number as it was written, a string as an equal one.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .number(let text): writer.bytes.append(contentsOf: text.utf8)
        case .string(let value): writer.string(value)
        }
    }
}

extension RequestID: Hashable {
    /// Whether two ids are the same to JSON, which knows no canonical equivalence.
    public static func == (left: RequestID, right: RequestID) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.number(let left), .number(let right)): ExactString(left) == ExactString(right)
        case (.string(let left), .string(let right)): ExactString(left) == ExactString(right)
        default: false
        }
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .number(let text): ExactString(text).hash(into: &hasher)
        case .string(let value): ExactString(value).hash(into: &hasher)
        }
    }
}
