/// The words of a command line that a shell completes; the last one is the unfinished one.
struct CompletionRequest {
    let words: [String]
    private let shell: CompletionScript
    /// The line of bash.
    private let line: ShellLine

    /// Parses the arguments of `viewmodelctl --complete`: `bash WORDBREAKS LINE`, `zsh WORD…` or `fish WORD…`.
    ///
    /// The words of zsh and the last word of fish have their quotes.
    init?(_ arguments: [String]) {
        guard let shell = arguments.first.flatMap(CompletionScript.init(rawValue:)) else { return nil }
        self.shell = shell
        let given = Array(arguments.dropFirst())
        switch shell {
        case .bash:
            guard given.count == 2 else { return nil }
            line = ShellLine(typed: given[1], breaks: given[0])
            words = Array(line.words.dropFirst())
        case .zsh:
            line = ShellLine(typed: "")
            words = given.map(Self.unquoted)
        case .fish:
            line = ShellLine(typed: "")
            words = given.dropLast() + given.suffix(1).map(Self.unquoted)
        }
        if words.isEmpty { return nil }
    }

    private static func unquoted(_ word: String) -> String { ShellLine(typed: word).words.joined(separator: " ") }

    var word: String { words.last ?? "" }

    /// Returns the lines for the shell.
    ///
    /// A word that is no ``PlainText`` is left out: it could divide a line or control the terminal, and its escape would
    /// name something else.
    func lines(_ result: CompletionResult) -> [String] {
        let candidates: [CompletionCandidate]
        switch result {
        case .words(let words): candidates = words
        case .files(let prefix): return ["files", prefix]
        }
        let fitting = candidates.filter { $0.text.hasPrefix(word) && $0.text.utf8.count < 1000 }
        return ["words"] + fitting.filter { PlainText.of($0.text) == $0.text }.map(line)
    }

    private func line(_ candidate: CompletionCandidate) -> String {
        let end = candidate.isWhole ? " " : ""
        // Readline closes an open quote itself, and a blank would stand inside of it.
        let isQuoted = line.quote != nil
        let text = DisplayWidth.cut(PlainText.of(candidate.description), to: 60)
        switch shell {
        case .bash:
            let rest = candidate.text.unicodeScalars.dropFirst(line.keptCount)
            return line.quoted(String(rest)) + (isQuoted ? "" : end)
        case .zsh: return "\(candidate.text)\(end)\t\(text)"
        case .fish: return "\(candidate.text)\t\(text)"
        }
    }
}

/// A word that a shell may insert.
struct CompletionCandidate: Equatable, Sendable {
    var text: String
    var description = ""
    /// Whether the word is complete, so that a blank follows it.
    var isWhole = true
}

/// What a shell may insert: a word, or the name of a file.
enum CompletionResult: Sendable {
    case words([CompletionCandidate])
    /// Files, whose names begin after some characters of the word, such as `--socket=`.
    case files(prefix: String)
}
