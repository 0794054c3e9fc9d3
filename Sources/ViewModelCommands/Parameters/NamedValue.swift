/// A word of `viewmodelctl call` that gives a value: `name=text`, `name:=json`, `name=@FILE`, `name=@-`, or no name.
struct NamedValue: Equatable {
    /// Where a value comes from.
    enum Source: Equatable {
        /// The text itself; the contract says what it becomes.
        case text(String)
        /// JSON, as it stands.
        case json(String)
        /// The standard input, without the line end that closes it.
        case standardInput
        /// A file, without the line end that closes it.
        case file(String)
    }

    /// The parameter's name; nil where the word is the value alone.
    var name: String?
    /// Where the value comes from.
    var source: Source

    init(name: String?, source: Source) {
        self.name = name
        self.source = source
    }

    /// Takes a word apart; one whose part before `=` is no name is a value alone.
    init(_ word: String) {
        guard let equals = word.firstIndex(of: "=") else {
            self.init(name: nil, source: Self.source(word))
            return
        }
        let value = String(word[word.index(after: equals)...])
        let name = word[..<equals]
        if name.hasSuffix(":"), Self.isName(name.dropLast()) {
            self.init(name: String(name.dropLast()), source: .json(value))
        } else if Self.isName(name) {
            self.init(name: String(name), source: Self.source(value))
        } else {
            self.init(name: nil, source: Self.source(word))
        }
    }

    private static func source(_ text: String) -> Source {
        if text == "@-" { return .standardInput }
        if text.hasPrefix("@"), text != "@" { return .file(String(text.dropFirst())) }
        return .text(text)
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
    }
}
