/// Reads the configuration: flags over environment over file over defaults.
///
/// It may read again at any time, and then sees what the file says by then.
package struct ConfigurationLoader: Sendable {
    /// What was read.
    package struct Loaded: Sendable {
        package let configuration: DaemonConfiguration
        /// The file, if there is one.
        package let file: String?
        /// What is odd, but no reason not to start.
        package let warnings: [ConfigurationProblem]
    }

    private let file: String?
    private let flags: FlagSource
    private let environment: [String: String]
    private let isRoot: Bool

    /// Takes where to read from.
    ///
    /// - Parameters:
    ///   - file: the file that must be there; nil for the default one, which need not.
    ///   - flags: what the command line says.
    ///   - environment: the process's environment variables.
    ///   - isRoot: whether the file of the system is the default one, rather than the user's.
    package init(file: String?, flags: FlagSource, environment: [String: String], isRoot: Bool) {
        self.file = file
        self.flags = flags
        self.environment = environment
        self.isRoot = isRoot
    }

    /// Reads everything; blocks for the file and for the system's list of users.
    ///
    /// A wrong value is an error where a stronger source hides it, too: that source may be gone tomorrow.
    ///
    /// - Throws: ``ConfigurationError`` with everything that is wrong.
    package func load() throws(ConfigurationError) -> Loaded {
        let file = try readFile()
        let variables = EnvironmentSource(environment)
        // The weakest first, since what comes later replaces what was there.
        let sources: [any ConfigurationSource] = (file.map { [$0] } ?? []) + [variables, flags]
        var configuration = DaemonConfiguration()
        var places: [String: ConfigurationProblem.Place] = [:]
        var problems: [ConfigurationProblem] = []
        for source in sources {
            var found = source.problems
            for key in ConfigurationKey.all {
                do {
                    if try key.read(from: source.provider, into: &configuration) {
                        places[key.name] = source.place(of: key, item: nil)
                    }
                } catch {
                    found.append(Self.problem(error, with: key, in: source))
                }
            }
            problems += found.sorted { ($0.place.line ?? 0) < ($1.place.line ?? 0) }
        }
        if problems.isEmpty { problems = configuration.contradictions(places) }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        let warnings = variables.warnings + configuration.unsafeAddresses(places)
        return Loaded(configuration: configuration, file: file?.path, warnings: warnings)
    }

    private func readFile() throws(ConfigurationError) -> ConfigurationFile? {
        guard let path else { return nil }
        do {
            return ConfigurationFile(path: path, text: try FileText.read(path))
        } catch {
            if error.isAbsence, file == nil { return nil }
            let message = "the configuration file cannot be read: \(error.reason)"
            throw ConfigurationError(problems: [.init(place: .init(source: path), message: message)])
        }
    }

    /// Where the file is, or would be; nil where there is no place for one.
    package var path: String? { file ?? defaultFile }

    /// Where the file is when nobody says; the XDG base directory specification ignores paths that are not absolute.
    private var defaultFile: String? {
        let file = "viewmodeld/viewmodeld.yaml"
        if isRoot { return "/etc/" + file }
        if let home = environment["XDG_CONFIG_HOME"], home.hasPrefix("/") { return home + "/" + file }
        return environment["HOME"].map { $0 + "/.config/" + file }
    }

    private static func problem(
        _ problem: ValueProblem,
        with key: ConfigurationKey,
        in source: some ConfigurationSource
    ) -> ConfigurationProblem {
        var name = key.name
        if let item = problem.item { name += "[\(item)]" }
        if let member = problem.member { name += ".\(member)" }
        let found = problem.found ?? (problem.item == nil ? source.found(at: key) : nil)
        let shown = key.isEchoed ? found : "something else"
        return ConfigurationProblem(
            place: source.place(of: key, item: problem.item),
            message: "\(name): expected \(problem.expected)" + (shown.map { ", found \($0)" } ?? "")
        )
    }
}
