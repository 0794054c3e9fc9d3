/// The words of a command line that a shell completes; the last one is the unfinished one.
struct CompletionRequest {
    let words: [String]
    private let shell: CompletionScript
    /// The characters at which bash divides words.
    private let wordBreaks: String

    /// Parses the arguments of `viewmodelctl --complete`: `bash WORDBREAKS LINE`, `zsh WORD…` or `fish WORD…`.
    init?(_ arguments: [String]) {
        guard let shell = arguments.first.flatMap(CompletionScript.init(rawValue:)) else { return nil }
        self.shell = shell
        if shell == .bash {
            guard arguments.count == 3 else { return nil }
            wordBreaks = arguments[1]
            words = Array(ScriptLine.unfinished(arguments[2]).dropFirst())
        } else {
            wordBreaks = ""
            words = Array(arguments.dropFirst())
        }
        if words.isEmpty { return nil }
    }

    /// The unfinished word.
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
        let text = DisplayWidth.cut(PlainText.of(candidate.description), to: 60)
        switch shell {
        case .bash: return Self.quoted(String(candidate.text.dropFirst(keptCount))) + end
        case .zsh: return "\(candidate.text)\(end)\t\(text)"
        case .fish: return "\(candidate.text)\t\(text)"
        }
    }

    /// The number of characters of the word that bash keeps.
    private var keptCount: Int {
        let breaks = wordBreaks.filter { $0 != "\"" && $0 != "'" && $0 != " " }
        guard let last = word.lastIndex(where: breaks.contains) else { return 0 }
        return word.distance(from: word.startIndex, to: last) + 1
    }

    /// Returns a text in which a backslash precedes each character that bash would interpret.
    private static func quoted(_ text: String) -> String {
        text.map { " \t\\\"'`$&|;<>()*?[]{}!#~".contains($0) ? "\\\($0)" : "\($0)" }.joined()
    }
}

/// A word that a shell may insert.
struct CompletionCandidate: Equatable {
    var text: String
    var description = ""
    /// Whether the word is complete, so that a blank follows it.
    var isWhole = true
}

/// What a shell may insert: a word, or the name of a file.
enum CompletionResult {
    case words([CompletionCandidate])
    /// Files, whose names begin after some characters of the word, such as `--socket=`.
    case files(prefix: String)
}
