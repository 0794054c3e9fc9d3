import ArgumentParser
import PathArguments

/// A word of `viewmodelctl call`, of which only `name=@FILE` has a path.
enum ValueWord: Sendable, ExpressibleByArgument {
    case text(String)
    case file(PathArgument)

    init(argument: String) {
        if case .file = NamedValue(argument).source {
            self = .file(PathArgument(argument: argument))
        } else {
            self = .text(argument)
        }
    }

    var word: String {
        switch self {
        case .text(let word): word
        case .file(let word): word.path
        }
    }
}

/// A value on the command line of `viewmodelctl call`: `name=text`, `name:=json`, `name=@FILE`, `name=@-`, or a text
/// without a name.
struct NamedValue: Equatable {
    enum Source: Equatable {
        /// The text itself, which is converted as the contract requires.
        case text(String)
        /// The text itself, which stays a string wherever the contract allows one.
        case string(String)
        case json(String)
        /// The standard input without its last line end.
        case standardInput
        /// A file without its last line end.
        case file(String)
    }

    /// The parameter's name; nil for a value without a name.
    var name: String?
    var source: Source

    /// The name, which the contract may replace by another one if it was not given.
    var key: String { name ?? "value" }
}

extension NamedValue {
    /// Parses a word; it is a text without a name if the part before `=` is not a valid name.
    init(_ word: String) {
        guard let (name, rest) = word.halves else {
            self.init(name: nil, source: .text(word))
            return
        }
        let value = String(rest)
        if name.utf8.last == UInt8(ascii: ":"), Self.isName(name.dropLast()) {
            self.init(name: String(name.dropLast()), source: .json(value))
        } else if Self.isName(name) {
            self.init(name: String(name), source: Self.source(value))
        } else {
            self.init(name: nil, source: .text(word))
        }
    }

    private static func source(_ text: String) -> Source {
        if text == "@-" { return .standardInput }
        guard text.utf8.first == UInt8(ascii: "@"), text.utf8.count > 1 else { return .text(text) }
        return .file(String(text.unicodeScalars.dropFirst()))
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
}
