/// The rule by which a generated Swift client names things.
///
/// `docs/swift-client.md` publishes it. A name of the wire is cut at each character that Swift does not allow in a name,
/// and each part after the first begins with a capital. A type begins with a capital, any other thing does not. A name of
/// symbols alone is spelled, and one that begins with a digit gets a leading `_`. Of members with one name, the one that
/// has it on the wire keeps it, else the first one; the symbols of the others are spelled.
enum SwiftClientNames: NamingRule {
    static func type(_ name: String) -> String {
        let words = words(name)
        return words.isEmpty ? "Empty" : identifier(GeneratedText.capitalized(words))
    }

    /// Returns the name of a property, a method, a label or an enum case, without backticks.
    static func member(_ name: String) -> String {
        let words = words(name)
        guard let first = words.first else { return "empty" }
        return identifier(lowered(first) + GeneratedText.capitalized(Array(words.dropFirst())))
    }

    static func members(_ name: String) -> [String] {
        let isName = name.unicodeScalars.first.map(isStart) == true && name.unicodeScalars.allSatisfy(isPart)
        let exact = name.unicodeScalars.map { isPart($0) ? String($0) : "_\(spelled($0))_" }.joined()
        return [member(name)] + (isName ? [name] : []) + [member(exact)]
    }

    /// Returns a name as Swift code: in backticks if it is a keyword.
    static func code(_ name: String) -> String {
        quotable.contains(name) ? "`\(name)`" : name
    }

    private static func identifier(_ name: String) -> String {
        guard let first = name.unicodeScalars.first else { return "empty" }
        return isStart(first) ? name : "_" + name
    }

    /// The parts of a name that Swift allows, or the names of its symbols for a name without such parts.
    private static func words(_ name: String) -> [String] {
        // A combining mark may not begin a part.
        let words = GeneratedText.words(name, of: isPart) { $0.isASCII || $0.properties.isXIDStart }
            .filter { !$0.allSatisfy { $0 == "_" } }
        return words.isEmpty ? name.unicodeScalars.map(spelled) : words
    }

    /// Lowers the capitals at the beginning of a word: `URLPath` is `urlPath`, `ID` is `id`.
    private static func lowered(_ word: String) -> String {
        let capitals = word.prefix { $0.isUppercase }
        let count = capitals.count
        guard count > 1, count < word.count else { return capitals.lowercased() + word.dropFirst(count) }
        let next = word[word.index(word.startIndex, offsetBy: count)]
        let lowered = next.isLowercase ? count - 1 : count
        return word.prefix(lowered).lowercased() + word.dropFirst(lowered)
    }

    /// Swift allows more, but not each character that Unicode has added since.
    private static func isStart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || scalar.properties.isAlphabetic }
        return isPart(scalar) && scalar.properties.isXIDStart
    }

    private static func isPart(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) }
        switch scalar.value {
        case 0xC0...0x2FF, 0x300...0x167F, 0x1E00...0x1FFF, 0x2C00...0x2DFF, 0x3040...0xD7FF, 0x20000...0x2FFFD:
            return GeneratedText.isPart(scalar)
        default: return false
        }
    }

    private static func spelled(_ scalar: Unicode.Scalar) -> String {
        symbols[scalar] ?? "u" + String(scalar.value, radix: 16, uppercase: true)
    }

    private static let symbols: [Unicode.Scalar: String] = [
        "+": "plus", "-": "minus", "*": "asterisk", "/": "slash", "=": "equals", ".": "point", ",": "comma",
        "!": "exclamation", "?": "question", "%": "percent", "&": "ampersand", "<": "less", ">": "greater",
        "#": "hash", "@": "at", "$": "dollar", "^": "caret", "|": "bar", "~": "tilde", ":": "colon",
        ";": "semicolon", "'": "apostrophe", "\"": "quote", "(": "open", ")": "close", "[": "openBracket",
        "]": "closeBracket", "{": "openBrace", "}": "closeBrace", " ": "space", "\\": "backslash", "_": "underscore",
        "`": "backtick", "\n": "newline", "\t": "tab", "×": "times", "÷": "divided", "−": "minus", "→": "right",
        "←": "left", "↑": "up", "↓": "down", "€": "euro", "£": "pound", "°": "degree",
    ]

    /// The words that need backticks.
    private static let quotable = ReservedNames.list("swift-keywords")

    static func numbered(_ name: String, _ number: Int) -> String { "\(name)\(number)" }

    // MARK: Reserved names

    /// The words that Swift does not accept as a name even in backticks, or gives another meaning.
    static let keywords: Set<String> = ["init", "self", "Self", "Type", "Protocol", "_", "Any"]

    /// The cases of an optional, which a case of that name would hide: `.none` of an optional enum.
    static let optional: Set<String> = ["none", "some"]

    /// The names of types that the generated code uses, and those of Swift that a type must not hide.
    static let types = ReservedNames.list("swift-types")

    /// The members of each generated ViewModel type.
    static let viewModelMembers: Set<String> = [
        "client", "id", "typeName", "bind", "read", "wait", "close", "create", "hash",
    ]

    /// The members of each model.
    static let modelMembers: Set<String> = [
        "viewModel", "isOnline", "problem", "onEvent", "observed", "observedAction", "observedList", "post",
    ]

    /// The members of the client, to which the generated code adds one property for each ViewModel type.
    static let clientMembers = ReservedNames.list("swift-client")
}

typealias SwiftClientScope = GeneratedScope<SwiftClientNames>
