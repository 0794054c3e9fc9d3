import Yams

/// A value as a source has it, before the kind of its key gives it a type.
enum ConfigurationValue: Equatable, Sendable {
    /// A text of the environment or of the command line, which may mean a value of any kind.
    case untyped(String)
    // Scalars of a file keep its spelling.
    case text(String)
    case integer(String)
    case boolean(String)
    /// The items as YAML texts.
    case list([String])
    case map
    case nothing
    /// A scalar of a type that no key accepts as it is, such as a fraction or a date.
    case other(String)

    /// The value as a text, or nil.
    ///
    /// An integer is also valid where a text is expected, such as a group's number or the mode 0660.
    var text: String? {
        switch self {
        case .untyped(let text), .text(let text), .integer(let text): text
        default: nil
        }
    }

    var integer: Int? {
        switch self {
        case .untyped(let text): Int(text)
        case .integer(let text): Int.construct(from: Node.Scalar(text))
        default: nil
        }
    }

    var number: Double? {
        switch self {
        case .untyped(let text): Double(text)
        case .integer(let text), .other(let text): Double.construct(from: Node.Scalar(text))
        default: nil
        }
    }

    /// The value as a Boolean, or nil; a variable may also be `yes`, `no`, 1 or 0, in any case.
    var boolean: Bool? {
        switch self {
        case .untyped(let text):
            switch text.lowercased() {
            case "true", "yes", "1": true
            case "false", "no", "0": false
            default: nil
            }
        case .boolean(let text): Bool.construct(from: Node.Scalar(text))
        default: nil
        }
    }

    /// The items of the value as YAML texts, or nil.
    var items: [String]? {
        switch self {
        case .untyped(let text): [text]
        case .list(let items): items
        default: nil
        }
    }
}
