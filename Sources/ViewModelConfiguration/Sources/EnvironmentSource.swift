import Configuration
import ViewModelProtocol

/// The environment variables, such as `VIEWMODELD_LIMITS_MESSAGE_BYTES` for `limits.messageBytes`.
struct EnvironmentSource: ConfigurationSource {
    /// A client's variable with the path of the socket.
    ///
    /// It is often set for a whole login session, the daemon included.
    private static let clientVariable = "VIEWMODELD_SOCKET"

    let provider: any ConfigProvider
    /// Oddities that do not prevent a start.
    let warnings: [ConfigurationProblem]

    /// Selects the daemon's variables from an environment.
    init(_ environment: [String: String], of program: DaemonProgram = .viewmodeld) {
        let prefix = program.variablePrefix
        let own = environment.filter { $0.key.hasPrefix(prefix.uppercased() + "_") }
        let provider = EnvironmentVariablesProvider(environmentVariables: own, arraySeparator: "\n")
            .prefixKeys(with: ConfigKey(prefix))
        self.provider = provider
        guard !own.isEmpty else {
            warnings = []
            return
        }
        let known = program.keys.map { Self.variable(for: $0, provider) }
        let beginning = prefix.count + 1
        let unknown = Set(own.keys).subtracting(known).subtracting([Self.clientVariable])
        warnings = unknown.sorted().map { name in
            // The common prefix would make all names look alike.
            let ends = known.map { String($0.dropFirst(beginning)) }
            let close = Suggestions.close(to: String(name.dropFirst(beginning)), among: ends).first
            let hint = close.map { "; did you mean \(name.prefix(beginning))\($0)?" } ?? ""
            return ConfigurationProblem(
                location: .init(source: name),
                message: "is not a variable of the daemon" + hint
            )
        }
    }

    var problems: [ConfigurationProblem] { [] }

    /// Returns the name of a key's variable.
    func variable(for key: ConfigurationKey) -> String {
        Self.variable(for: key, provider)
    }

    func location(of key: ConfigurationKey, item: Int?) -> ConfigurationProblem.Location {
        .init(source: variable(for: key))
    }

    func found(at key: ConfigurationKey) -> String? {
        let content = try? provider.value(forKey: key.path, type: .string).value?.content
        guard case .string(let text) = content else { return nil }
        return Self.quoted(text)
    }

    private static func variable(for key: ConfigurationKey, _ provider: any ConfigProvider) -> String {
        // Every variable is a valid text, so this look-up does not throw.
        (try? provider.value(forKey: key.path, type: .string).encodedKey) ?? key.name
    }
}
