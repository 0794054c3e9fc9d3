import ViewModelProtocol

/// The environment variables, such as `VIEWMODELD_LIMITS_MESSAGE_BYTES` for `limits.messageBytes`.
struct EnvironmentSource: ConfigurationSource {
    /// A client's variable with the path of the socket.
    ///
    /// It is often set for a whole login session, the daemon included.
    static let clientVariable = "VIEWMODELD_SOCKET"

    private let prefix: String
    /// The values of the variables with the prefix.
    private let values: [String: String]
    /// Oddities that do not prevent a start.
    let warnings: [ConfigurationProblem]

    /// Selects the daemon's variables from an environment.
    init(_ environment: [String: String], of program: DaemonProgram = .viewmodeld) {
        let prefix = Self.prefix(of: program.name)
        let values = environment.filter { $0.key.hasPrefix(prefix) }
        self.prefix = prefix
        self.values = values
        guard !values.isEmpty else {
            warnings = []
            return
        }
        // Suggestions compare the ends, because the common prefix would make all names look alike.
        let ends = program.keys.map { Self.end(of: $0) }
        let unknown = Set(values.keys).subtracting(ends.map { prefix + $0 }).subtracting([Self.clientVariable])
        warnings = unknown.sorted().map { name in
            let close = Suggestions.close(to: String(name.dropFirst(prefix.count)), among: ends).first
            let hint = close.map { "; did you mean \(prefix)\($0)?" } ?? ""
            return ConfigurationProblem(
                location: .init(source: name),
                message: "is not a variable of the daemon" + hint
            )
        }
    }

    var problems: [ConfigurationProblem] { [] }

    func value(of key: ConfigurationKey) -> ConfigurationValue? {
        values[variable(for: key)].map { .untyped($0) }
    }

    /// Returns the name of a key's variable.
    func variable(for key: ConfigurationKey) -> String { prefix + Self.end(of: key) }

    func location(of key: ConfigurationKey, item: Int?) -> ConfigurationProblem.Location {
        .init(source: variable(for: key))
    }

    func found(at key: ConfigurationKey) -> String? {
        values[variable(for: key)].map(Self.quoted)
    }

    /// Returns the beginning of the names of a program's variables.
    static func prefix(of program: String) -> String { program.uppercased().replacing("-", with: "_") + "_" }

    /// Returns the names of the variables that have paths.
    static func paths(of program: String) -> [String] {
        ConfigurationKey.all.filter(\.isPath).map { prefix(of: program) + end(of: $0) }
    }

    /// Returns the name of a key's variable without the prefix: upper-case words, joined by `_`.
    private static func end(of key: ConfigurationKey) -> String {
        var isAfterLowercase = false
        return key.name.reduce(into: "") { end, character in
            if isAfterLowercase, character.isUppercase { end += "_" }
            end += character.isLetter || character.isNumber ? character.uppercased() : "_"
            isAfterLowercase = character.isLowercase
        }
    }
}
