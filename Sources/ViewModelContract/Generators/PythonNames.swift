/// The names in a Python client.
///
/// A member is written in snake case, a type in capitalised words. Other characters than ASCII letters, digits and `_`
/// become `_`. A name that is reserved gets a `_` at its end. If a name is taken, `_2`, `_3` … follows, in the order of
/// the contract.
struct PythonNames {
    private var taken: Set<String> = []
    private let reserved: Set<String>

    /// Creates a scope.
    ///
    /// - Parameter reserved: the names that the scope has by itself.
    init(reserved: Set<String>) {
        self.reserved = reserved
    }

    /// Returns the name of a member.
    mutating func member(_ name: String) -> String { take(Self.snakeCase(name)) }

    /// Returns the name of a type.
    mutating func type(_ name: String) -> String { take(Self.capitalised(name)) }

    /// Returns the names of the members of an object, by their names in JSON.
    static func members(_ names: [String], reserved: Set<String>) -> [String] {
        var scope = PythonNames(reserved: reserved)
        return names.map { scope.member($0) }
    }

    private mutating func take(_ name: String) -> String {
        let name = Self.keywords.contains(name) || reserved.contains(name) ? name + "_" : name
        var candidate = name
        var count = 1
        while !taken.insert(candidate).inserted || (count > 1 && reserved.contains(candidate)) {
            count += 1
            candidate = "\(name)\(name.hasSuffix("_") ? "" : "_")\(count)"
        }
        return candidate
    }

    // MARK: Rules

    static func snakeCase(_ name: String) -> String {
        let characters = Array(ascii(name))
        var result = ""
        for (index, character) in characters.enumerated() {
            if character.isUppercase, index > 0 {
                let last = characters[index - 1]
                let next = characters.indices.contains(index + 1) ? characters[index + 1] : "_"
                if last.isLowercase || last.isNumber || (last.isUppercase && next.isLowercase) { result += "_" }
            }
            result += character.lowercased()
        }
        return identifier(result, prefix: "x")
    }

    static func capitalised(_ name: String) -> String {
        identifier(GeneratedText.capitalized(GeneratedText.words(name)), prefix: "X")
    }

    /// Returns a name without the underscores before it, which would make it private, and with a letter in front.
    private static func identifier(_ name: String, prefix: String) -> String {
        let name = String(name.drop { $0 == "_" })
        guard let first = name.first, !first.isNumber else { return prefix + name }
        return name
    }

    private static func ascii(_ name: String) -> String {
        String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
    }

    // MARK: Reserved names

    static let keywords: Set<String> = [
        "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
        "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
        "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
    ]

    /// The names that annotations and decorators in a class use.
    private static let used: Set<String> = [
        "bool", "bytes", "classmethod", "datetime", "dict", "float", "functools", "int", "list", "property", "range",
        "str", "super",
    ]
    /// The reserved names of the attributes of values.
    static let value = used.union(["from_json", "to_json"])
    /// The reserved names of outputs.
    static let picture = used.union(["raw"])
    /// The reserved names of inputs, actions and children.
    static let viewModel = used.union(["bind", "blocking", "client", "id", "read", "target"])
    /// The reserved names of parameters.
    static let parameters = used.union([
        "cast", "deadline", "key", "retry", "self", "without_none",
    ]).union(topLevel(of: PythonClient.runtime).filter { $0.hasPrefix("as_") })
    /// The reserved names of the arguments of an instance.
    static let arguments = parameters.union(["id"])
    /// The reserved names of instances in a session.
    static let session = used.union([
        "backoff", "bindings", "call", "client", "close", "connect", "connection_state", "contract", "contract_changed",
        "daemon_name", "drop", "epoch", "linger", "move", "notify", "on_message", "on_notice", "on_state", "open",
        "send", "session", "silence", "socket", "sync", "target", "time_limit", "wait_for",
    ])

    /// The reserved names of types: those of the builtins that begin with a capital letter.
    static let builtins: Set<String> = [
        "ArithmeticError", "AssertionError", "AttributeError", "BaseException", "BaseExceptionGroup", "BlockingIOError",
        "BrokenPipeError", "BufferError", "BytesWarning", "ChildProcessError", "ConnectionAbortedError",
        "ConnectionError", "ConnectionRefusedError", "ConnectionResetError", "DeprecationWarning", "EOFError",
        "Ellipsis", "EncodingWarning", "EnvironmentError", "Exception", "ExceptionGroup", "FileExistsError",
        "FileNotFoundError", "FloatingPointError", "FutureWarning", "GeneratorExit", "IOError", "ImportError",
        "ImportWarning", "IndentationError", "IndexError", "InterruptedError", "IsADirectoryError", "KeyError",
        "KeyboardInterrupt", "LookupError", "MemoryError", "ModuleNotFoundError", "NameError", "NotADirectoryError",
        "NotImplemented", "NotImplementedError", "OSError", "OverflowError", "PendingDeprecationWarning",
        "PermissionError", "ProcessLookupError", "PythonFinalizationError", "RecursionError", "ReferenceError",
        "ResourceWarning", "RuntimeError", "RuntimeWarning", "StopAsyncIteration", "StopIteration", "SyntaxError",
        "SyntaxWarning", "SystemError", "SystemExit", "TabError", "TimeoutError", "TypeError", "UnboundLocalError",
        "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeError", "UnicodeTranslateError", "UnicodeWarning",
        "UserWarning", "ValueError", "Warning", "ZeroDivisionError",
    ]

    /// Returns the names that a module defines or imports at its top level.
    static func topLevel(of module: String) -> Set<String> {
        var names: Set<String> = []
        for line in module.split(separator: "\n") where line.first?.isWhitespace == false {
            let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init)
            switch words.first {
            case "class", "def": names.insert(words[1])
            case "async": names.insert(words[2])
            case "import": names.formUnion(words.dropFirst())
            case "from": names.formUnion(words.drop { $0 != "import" }.dropFirst())
            default:
                // The left side of an assignment, of one name or of several.
                let left = line.prefix { $0 != "=" && $0 != ":" && $0 != "(" }
                guard left.count < line.count else { continue }
                names.formUnion(left.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
            }
        }
        return names
    }
}
