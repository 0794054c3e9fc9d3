import ViewModelProtocol

/// The environment variables, such as `VIEWMODELD_LIMITS_MESSAGE_BYTES` for `limits.messageBytes`.
struct EnvironmentSource {
    /// A client's variable with the path of the socket.
    ///
    /// It is often set for a whole login session, the daemon included.
    static let clientVariable = "VIEWMODELD_SOCKET"

    /// The values by the names of their keys.
    private(set) var values: [String: ConfigurationValue] = [:]
    /// Variables that do not prevent a start.
    private(set) var warnings: [ConfigurationProblem] = []
    /// Variables of features that the program does not have.
    private(set) var problems: [ConfigurationProblem] = []

    /// Selects the daemon's variables from an environment.
    init(_ environment: [String: String], of program: DaemonProgram = .viewmodeld) {
        let prefix = Self.prefix(of: program.name)
        var unknown = environment.filter { $0.key.hasPrefix(prefix) && $0.key != Self.clientVariable }
        for key in program.configurationKeys where !unknown.isEmpty {
            let variable = program.variable(for: key)
            guard let text = unknown.removeValue(forKey: variable) else { continue }
            values[key.name] = ConfigurationValue(text, from: variable)
        }
        for variable in unknown.keys.sorted() {
            let location = ConfigurationProblem.Location(source: variable)
            if let key = Self.featureKey(of: variable, prefix: prefix) {
                let problem = program.problem(withUnknown: key)
                problems += problem.map { [ConfigurationProblem(location: location, message: $0)] } ?? []
            } else {
                // Suggestions compare the ends, because the common prefix would make all names look alike.
                let ends = program.configurationKeys.map { Self.end(of: $0.name) }
                let close = Suggestions.close(to: String(variable.dropFirst(prefix.count)), among: ends).first
                let hint = close.map { "; did you mean \(prefix)\($0)?" } ?? ""
                let message = "is not a variable of the daemon" + hint
                warnings.append(ConfigurationProblem(location: location, message: message))
            }
        }
    }

    /// Returns the beginning of the names of a program's variables.
    static func prefix(of program: String) -> String { program.uppercased().replacing("-", with: "_") + "_" }

    /// Returns the key or the section of a feature that a variable belongs to, or nil.
    private static func featureKey(of variable: String, prefix: String) -> String? {
        DaemonProgram.featureKeys.keys.sorted().first { key in
            let beginning = prefix + end(of: key)
            return variable == beginning || variable.hasPrefix(beginning + "_")
        }
    }

    /// Returns the name of a key's variable without the prefix: upper-case words, joined by `_`.
    static func end(of key: String) -> String {
        var isAfterLowercase = false
        return key.reduce(into: "") { end, character in
            if isAfterLowercase, character.isUppercase { end += "_" }
            end += character.isLetter || character.isNumber ? character.uppercased() : "_"
            isAfterLowercase = character.isLowercase
        }
    }
}

extension DaemonProgram {
    func variable(for key: ConfigurationKey) -> String {
        EnvironmentSource.prefix(of: name) + EnvironmentSource.end(of: key.name)
    }
}
