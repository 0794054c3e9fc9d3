import ArgumentParser
import ViewModelClient

/// The words of a command line, read without the parser: for errors that precede it, and for completion.
struct CommandWords {
    private let words: [String]

    init(_ words: [String]) {
        self.words = words
    }

    static var verbs: [String] {
        let configuration = ViewModelCtl.configuration
        let commands = configuration.groupedSubcommands.flatMap(\.subcommands) + configuration.ungroupedSubcommands
        return commands.compactMap { $0.configuration.commandName } + ["help"]
    }

    /// The value of a global option; the last one counts.
    func value(of option: String) -> String? {
        var value: String?
        for (index, word) in words.enumerated() {
            if word == "--" { break }
            if word == option, index + 1 < words.count { value = words[index + 1] }
            if word.hasPrefix("\(option)=") { value = String(word.dropFirst(option.count + 1)) }
        }
        return value
    }

    /// The position of the verb: the first word that is neither an option nor the value of a global option.
    var verbIndex: Int? {
        var index = 0
        while index < words.count, words[index].hasPrefix("-") {
            index += GlobalOptions.valued.contains(words[index]) ? 2 : 1
        }
        return index < words.count ? index : nil
    }

    /// The words with the options of every verb behind the verb, where the parser reads them; the last of a name counts.
    var withOptionsAfterVerb: [String] {
        guard let verb = verbIndex, words[verb] != "help" else { return words }
        var (kept, moved): ([String], [String]) = ([], [])
        var index = 0
        while index < verb {
            let end = index + (GlobalOptions.valued.contains(words[index]) ? 2 : 1)
            let name = words[index].halves.map { String($0.name) } ?? words[index]
            if name == "--existing" || GlobalOptions.valued.contains(name) {
                moved += words[index..<end]
            } else {
                kept += words[index..<end]
            }
            index = end
        }
        return kept + [words[verb]] + moved + words[(verb + 1)...]
    }

    /// The failure of a command line whose verb does not exist, or nil.
    var unknownVerb: CommandFailure? {
        let verbs = Self.verbs
        guard var index = verbIndex else { return nil }
        // `help VERB` shows the help of the verb.
        if words[index] == "help", index + 1 < words.count, !words[index + 1].hasPrefix("-") { index += 1 }
        guard !verbs.contains(words[index]) else { return nil }
        return .usage(
            "There is no verb \"\(words[index])\"",
            remedy: ErrorText.question(words[index], among: verbs) ?? "viewmodelctl --help lists the verbs"
        )
    }
}
