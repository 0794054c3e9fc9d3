import ViewModelProtocol

/// The environment variables, such as `VIEWMODELD_LIMITS_MESSAGE_BYTES` for `limits.messageBytes`.
struct EnvironmentSource {
    /// A client's variable with the path of the socket.
    ///
    /// It is often set for a whole login session, the daemon included.
    static let clientVariable = "VIEWMODELD_SOCKET"

    private let prefix: String
    /// The values by the names of their keys.
    let entries: [String: ConfigurationEntry]
    /// Variables that do not prevent a start.
    let warnings: [ConfigurationProblem]
    /// Variables of features that the program does not have.
    let problems: [ConfigurationProblem]

    /// Selects the daemon's variables from an environment.
    init(_ environment: [String: String], of program: DaemonProgram = .viewmodeld) {
        let prefix = Self.prefix(of: program.name)
        let values = environment.filter { $0.key.hasPrefix(prefix) }
        self.prefix = prefix
        let entries = program.configurationKeys.compactMap { key -> (String, ConfigurationEntry)? in
            let variable = prefix + Self.end(of: key.name)
            return values[variable].map { (key.name, ConfigurationEntry(untyped: $0, from: variable)) }
        }
        self.entries = Dictionary(uniqueKeysWithValues: entries)
        guard !values.isEmpty else {
            (warnings, problems) = ([], [])
            return
        }
        // Suggestions compare the ends, because the common prefix would make all names look alike.
        let ends = program.configurationKeys.map { Self.end(of: $0.name) }
        let unknown = Set(values.keys).subtracting(ends.map { prefix + $0 }).subtracting([Self.clientVariable])
        problems = unknown.sorted().compactMap { variable in
            Self.featureKey(of: variable, prefix: prefix).flatMap(program.problem(withUnknown:)).map {
                ConfigurationProblem(location: .init(source: variable), message: $0)
            }
        }
        warnings = unknown.filter { Self.featureKey(of: $0, prefix: prefix) == nil }.sorted().map { name in
            let close = Suggestions.close(to: String(name.dropFirst(prefix.count)), among: ends).first
            let hint = close.map { "; did you mean \(prefix)\($0)?" } ?? ""
            return ConfigurationProblem(
                location: .init(source: name),
                message: "is not a variable of the daemon" + hint
            )
        }
    }

    func variable(for key: ConfigurationKey) -> String { prefix + Self.end(of: key.name) }

    /// Returns the beginning of the names of a program's variables.
    static func prefix(of program: String) -> String { program.uppercased().replacing("-", with: "_") + "_" }

    /// Returns the key or the section of a feature that a variable belongs to, or nil.
    static func featureKey(of variable: String, prefix: String) -> String? {
        DaemonProgram.featureKeys.keys.sorted().first { key in
            let beginning = prefix + end(of: key)
            return variable == beginning || variable.hasPrefix(beginning + "_")
        }
    }

    /// Returns the names of the variables that have paths.
    static func paths(of program: DaemonProgram, prefix: String) -> [String] {
        program.configurationKeys.filter(\.kind.isPath).map { prefix + end(of: $0.name) }
    }

    /// Returns the name of a key's variable without the prefix: upper-case words, joined by `_`.
    private static func end(of key: String) -> String {
        var isAfterLowercase = false
        return key.reduce(into: "") { end, character in
            if isAfterLowercase, character.isUppercase { end += "_" }
            end += character.isLetter || character.isNumber ? character.uppercased() : "_"
            isAfterLowercase = character.isLowercase
        }
    }
}
