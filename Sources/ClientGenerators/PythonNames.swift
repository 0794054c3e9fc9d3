import Foundation

/// The names in a Python client.
///
/// A member is written in snake case, a type in capitalised words. Other characters than letters, digits and `_` become
/// `_`. A name that is reserved gets a `_` at its end.
///
/// If two members become one name, the member with this name in the contract gets it, else the first one. The other one
/// keeps its name in the contract, with the numbers of characters that are not allowed. If two types become one name,
/// the second is `_2`.
enum PythonNames: NamingRule {
    static func type(_ name: String) -> String { capitalised(name) }

    static func members(_ name: String) -> [String] {
        [snakeCase(name), identifier(plain(name), prefix: "x"), spelled(name)]
    }

    static func numbered(_ name: String, _ number: Int) -> String {
        "\(name)\(name.hasSuffix("_") ? "" : "_")\(number)"
    }

    // MARK: Rules

    static func snakeCase(_ name: String) -> String {
        let characters = Array(plain(name))
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
        identifier(GeneratedText.capitalized(GeneratedText.words(normal(name))), prefix: "X")
    }

    private static func spelled(_ name: String) -> String {
        identifier(GeneratedText.spelled(normal(name)), prefix: "x")
    }

    /// Returns a name in the form in which Python compares names.
    private static func normal(_ name: String) -> String {
        name.utf8.allSatisfy { $0 < 0x80 } ? name : name.precomposedStringWithCompatibilityMapping
    }

    /// Returns a name without the underscores before it, which would make it private, and with a letter in front.
    private static func identifier(_ name: String, prefix: String) -> String {
        let name = String(normal(name).unicodeScalars.drop { $0 == "_" })
        guard let first = name.unicodeScalars.first, GeneratedText.isStart(first) else { return prefix + name }
        return name
    }

    private static func plain(_ name: String) -> String {
        String(String.UnicodeScalarView(normal(name).unicodeScalars.map { GeneratedText.isPart($0) ? $0 : "_" }))
    }

    // MARK: Reserved names

    static let keywords = ReservedNames.list("python-keywords")

    /// The names that annotations and decorators in a class use.
    private static let used = ReservedNames.list("python-used")
    /// The reserved names of the attributes of values.
    static let value = used.union(["from_json", "self", "to_json"])
    /// The reserved names of outputs.
    static let picture = used.union(["raw"])
    /// The reserved names of inputs, actions and children.
    static let viewModel = used.union([
        "action", "bind", "binding", "blocking", "children", "client", "events", "id", "members", "read", "run",
        "target",
        "text", "value", "watch",
    ])
    static let parameters = used.union([
        "cast", "deadline", "key", "retry", "self", "without_none",
    ]).union(runtime.filter { $0.hasPrefix("as_") })
    /// The reserved names of the arguments of an instance.
    static let arguments = parameters.union(["id"])
    static let session = used.union(ReservedNames.list("python-session"))

    /// The reserved names of types: those of the builtins that begin with a capital letter.
    static let builtins = ReservedNames.list("python-builtins")

    /// The reserved names of the runtime, which stands before the classes.
    static let runtime = topLevel(of: PythonClient.runtime)

    /// Returns the names that a module defines or imports at its top level.
    static func topLevel(of module: String) -> Set<String> {
        var names: Set<String> = []
        // The left side of an assignment has one name or several.
        let form = /(?:async )?(?:class|def) (\w+)|(?:from \S+ )?import (.*)|([^=:(]+)[=:(]/
        for line in module.split(separator: "\n") where line.first?.isWhitespace == false {
            guard let head = line.prefixMatch(of: form) else { continue }
            let text = head.1 ?? head.2 ?? head.3 ?? ""
            names.formUnion(text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.map(String.init))
        }
        return names
    }
}

typealias PythonScope = GeneratedScope<PythonNames>
