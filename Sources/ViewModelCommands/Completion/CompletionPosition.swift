import PathArguments
import UnixIO
import ViewModelClient

/// What the unfinished word of a command line stands for.
struct CompletionPosition: Sendable {
    /// The kind of a word that only the daemon can complete.
    enum Kind: Sendable {
        /// A session, after the characters of the word that precede its name, such as `--session=`.
        case session(prefix: String)
        /// A type, as `describe` takes it, or only one that can be opened.
        case type(opens: Bool)
        case instance(exists: Bool)
        case output(instance: String)
        case condition(instance: String)
        case window(instance: String)
        case member
        case parameter(method: String)
        case argument(type: String)
        case method
    }

    /// The unfinished word.
    let word: String
    /// The daemon and the session.
    let globals: GlobalOptions
    /// The result, if it does not depend on the daemon.
    let knownResult: CompletionResult?
    /// The kind of the word, if the daemon can complete it.
    let kind: Kind?

    init(_ words: [String], in tree: CommandTree) {
        word = words.last ?? ""
        let line = CommandWords(words.dropLast())
        var globals = GlobalOptions()
        globals.socket = line.value(of: "--socket").map {
            PathArgument(argument: Self.expanded($0, ProcessText.variables))
        }
        globals.session = line.value(of: "--session").flatMap { SessionName($0) }
        globals.uid = line.value(of: "--uid").flatMap(UInt32.init)
        self.globals = globals
        (kind, knownResult) = Self.meaning(words, word, in: tree)
    }

    /// Returns a path with the values of variables and of a `~` at its start, as the shell will pass it.
    static func expanded(_ path: String, _ environment: [String: String]) -> String {
        var path = path
        if path.hasPrefix("~/"), let home = environment["HOME"] { path = home + path.dropFirst() }
        return path.replacing(/\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/) { match in
            environment[String(match.1 ?? match.2 ?? "")] ?? ""
        }
    }

    private static func meaning(_ words: [String], _ word: String, in tree: CommandTree) -> (Kind?, CompletionResult?) {
        var verb: CommandTree.Command?
        var arguments: [String] = []
        var pending: CommandTree.Parameter?
        for word in words.dropLast() {
            if pending != nil {
                pending = nil
            } else if word == "--" {
                return (nil, .words([]))
            } else if word.hasPrefix("-"), word.count > 1 {
                pending = (verb ?? tree.root).option(word)
            } else if verb == nil {
                guard let found = tree.verbs.first(where: { $0.name == word }) else { return (nil, .words([])) }
                verb = found
            } else {
                arguments.append(word)
            }
        }
        if let pending { return value(of: pending, arguments) }
        if word.hasPrefix("--"), let (option, _) = word.halves {
            let name = String(option)
            return value(of: (verb ?? tree.root).option(name), arguments, prefix: name + "=")
        }
        if word.hasPrefix("-") { return (nil, .words(options(of: verb ?? tree.root))) }
        guard let verb else { return (nil, .words(verbs(of: tree))) }
        if verb.name == "help" { return (nil, .words(arguments.isEmpty ? verbs(of: tree) : [])) }
        if verb.name == "call", let (name, value) = word.halves, !name.hasSuffix(":"),
            value.utf8.first == UInt8(ascii: "@")
        {
            return (nil, .files(prefix: "\(name)=@"))
        }
        return argument(of: verb, arguments)
    }

    private static func verbs(of tree: CommandTree) -> [CompletionCandidate] {
        tree.verbs.map { CompletionCandidate(text: $0.name, description: $0.description) }
    }

    private static func options(of command: CommandTree.Command) -> [CompletionCandidate] {
        command.parameters.flatMap { parameter in
            parameter.names.filter { $0.hasPrefix("--") }
                .map { CompletionCandidate(text: $0, description: parameter.description) }
        }
    }

    private static func value(
        of option: CommandTree.Parameter?,
        _ arguments: [String],
        prefix: String = ""
    ) -> (Kind?, CompletionResult?) {
        guard let option else { return (nil, .words([])) }
        if !option.values.isEmpty {
            return (nil, .words(option.values.map { CompletionCandidate(text: prefix + $0) }))
        }
        switch option.names.first {
        case "--session": return (.session(prefix: prefix), nil)
        case "--window" where prefix.isEmpty:
            return arguments.first.map { (.window(instance: $0), nil) } ?? (nil, .words([]))
        default: break
        }
        let isFile = ["path", "file", "from", "listen", "secrets", "socket"].contains(option.valueName)
        return (nil, isFile ? .files(prefix: prefix) : .words([]))
    }

    private static func argument(of verb: CommandTree.Command, _ before: [String]) -> (Kind?, CompletionResult?) {
        let kind: Kind? =
            switch (verb.name, before.count) {
            case ("describe", 0): .type(opens: false)
            case ("open", 0): .type(opens: true)
            case ("open", _): .argument(type: before[0])
            case ("read", 0), ("watch", 0), ("wait", 0): .instance(exists: false)
            case ("read", _), ("watch", _): .output(instance: before[0])
            case ("wait", 1): .condition(instance: before[0])
            case ("call", 0): .member
            case ("call", _): .parameter(method: before[0])
            case ("close", 0): .session(prefix: "")
            case ("close-instance", 0): .instance(exists: true)
            case ("rpc", 0): .method
            default: nil
            }
        if let kind { return (kind, nil) }
        guard let argument = verb.argument(before.count) else { return (nil, .words([])) }
        if !argument.values.isEmpty { return (nil, .words(argument.values.map { CompletionCandidate(text: $0) })) }
        let takesFile = ["script", "record", "replay", "diff", "dev", "new"].contains(verb.name)
        return (nil, takesFile ? .files(prefix: "") : .words([]))
    }
}
