import PathArguments
import UnixIO
import ViewModelClient

/// The unfinished word of a command line, and what can complete it.
struct CompletionPosition: Sendable {
    /// The source of candidates.
    enum Source: Sendable {
        /// A result that does not depend on the daemon.
        case known(CompletionResult)
        /// Names of the contract and of instances.
        case names(@Sendable (CompletionNames) -> [CompletionCandidate])
        /// Sessions, after the characters of the word that precede the name, such as `--session=`.
        case sessions(prefix: String)

        static let nothing = known(.words([]))

        /// Returns the values that a parameter has, or files if it takes one.
        static func value(of parameter: CommandTree.Parameter?, isFile: Bool, prefix: String) -> Source {
            guard let parameter else { return nothing }
            let values = parameter.values.map { CompletionCandidate(text: prefix + $0) }
            return values.isEmpty && isFile ? .known(.files(prefix: prefix)) : .known(.words(values))
        }
    }

    /// The daemon and the session.
    let globals: GlobalOptions
    let source: Source

    init(_ words: [String], in tree: CommandTree) {
        let line = CommandWords(words.dropLast())
        var globals = GlobalOptions()
        globals.socket = line.value(of: "--socket").map {
            PathArgument(argument: Self.expanded($0, ProcessText.variables))
        }
        globals.session = line.value(of: "--session").flatMap { SessionName($0) }
        self.globals = globals
        source = Self.source(words.dropLast(), words.last ?? "", in: tree)
    }

    /// Returns a path with the values of variables and of a `~` at its start, as the shell will pass it.
    static func expanded(_ path: String, _ environment: [String: String]) -> String {
        var path = path
        if path.hasPrefix("~/"), let home = environment["HOME"] { path = home + path.dropFirst() }
        return path.replacing(/\$(?:([A-Za-z_][A-Za-z0-9_]*)|\{([A-Za-z_][A-Za-z0-9_]*)\})/) { match in
            environment[String(match.1 ?? match.2 ?? "")] ?? ""
        }
    }

    private static func source(_ before: [String], _ word: String, in tree: CommandTree) -> Source {
        var verb: CommandTree?
        var arguments: [String] = []
        var pending: CommandTree.Parameter?
        for word in before {
            if pending != nil {
                pending = nil
            } else if word == "--" {
                return .nothing
            } else if word.hasPrefix("-"), word.count > 1 {
                pending = (verb ?? tree).option(word)
            } else if verb == nil {
                guard let found = tree.verbs.first(where: { $0.commandName == word }) else { return .nothing }
                verb = found
            } else {
                arguments.append(word)
            }
        }
        if let pending { return value(of: pending, arguments) }
        if word.hasPrefix("--"), let (option, _) = word.halves {
            return value(of: (verb ?? tree).option(String(option)), arguments, prefix: "\(option)=")
        }
        if word.hasPrefix("-") {
            let candidates = (verb ?? tree).parameters.flatMap { parameter in
                parameter.longNames.map { CompletionCandidate(text: $0, description: parameter.abstract ?? "") }
            }
            return .known(.words(candidates))
        }
        guard let verb, verb.commandName != "help" || !arguments.isEmpty else {
            let verbs = tree.verbs.map { CompletionCandidate(text: $0.commandName, description: $0.abstract ?? "") }
            return .known(.words(verbs))
        }
        if verb.commandName == "call", let (name, value) = word.halves, !name.hasSuffix(":"),
            value.utf8.first == UInt8(ascii: "@")
        {
            return .known(.files(prefix: "\(name)=@"))
        }
        return argument(of: verb, arguments, word)
    }

    private static func value(
        of option: CommandTree.Parameter?,
        _ arguments: [String],
        prefix: String = ""
    ) -> Source {
        switch (option?.longNames.first, arguments.first) {
        case ("--session", _): return .sessions(prefix: prefix)
        case ("--window", let instance?) where prefix.isEmpty: return .names { $0.windows(of: instance) }
        default: break
        }
        let isFile = ["path", "file", "from", "listen", "secrets", "socket"].contains(option?.valueName)
        return .value(of: option, isFile: isFile, prefix: prefix)
    }

    private static func argument(of verb: CommandTree, _ before: [String], _ word: String) -> Source {
        let first = before.first ?? ""
        switch (verb.commandName, before.count) {
        case ("describe", 0): return .names { $0.types(opened: false) }
        case ("open", 0): return .names { $0.types(opened: true) }
        case ("open", _): return .names { $0.arguments(of: first, word) }
        case ("read", 0), ("watch", 0), ("wait", 0): return .names(\.allInstances)
        case ("read", _), ("watch", _): return .names { $0.outputs(of: first) }
        case ("wait", 1): return .names { $0.conditions(of: first, word) }
        case ("call", 0): return .names { $0.members(word) }
        case ("call", _): return .names { $0.parameters(of: first, word) }
        case ("close", 0): return .sessions(prefix: "")
        case ("close-instance", 0): return .names(\.closableInstances)
        case ("rpc", 0): return .names(\.methods)
        default: break
        }
        let isFile = ["script", "record", "replay", "diff", "dev", "new"].contains(verb.commandName)
        return .value(of: verb.argument(before.count), isFile: isFile, prefix: "")
    }
}
