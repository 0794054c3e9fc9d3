/// A loader of the configuration: flags override the environment, which overrides the file, which overrides the
/// defaults.
///
/// Each ``load()`` reads the file again.
package struct ConfigurationLoader: Sendable {
    /// The result of a load.
    package struct Loaded: Sendable {
        package let configuration: DaemonConfiguration
        /// The path of the file that was read, or nil.
        package let file: String?
        /// Questionable values that do not prevent a start.
        package let warnings: [ConfigurationProblem]
    }

    private let program: DaemonProgram
    private let file: String?
    private let flags: FlagSource
    private let environment: [String: String]
    private let isRoot: Bool

    /// Creates a loader.
    ///
    /// - Parameters:
    ///   - program: the daemon whose configuration it is.
    ///   - file: the path of a file that must exist. Nil selects the default file, which may be missing.
    ///   - flags: the values of the command line.
    ///   - environment: the process's environment variables.
    ///   - isRoot: whether the default file is the system's, and not the user's.
    package init(
        of program: DaemonProgram = .viewmodeld,
        file: String?,
        flags: FlagSource,
        environment: [String: String],
        isRoot: Bool
    ) {
        self.program = program
        self.file = file
        self.flags = flags
        self.environment = environment
        self.isRoot = isRoot
    }

    /// Loads the configuration.
    ///
    /// Blocks on the file and on the system's user database.
    ///
    /// A wrong value is an error even if a stronger source overrides it, because that source may disappear.
    ///
    /// - Throws: ``ConfigurationError`` with all problems.
    package func load() throws(ConfigurationError) -> Loaded {
        let file = try readFile()
        let variables = EnvironmentSource(environment, of: program)
        // Weakest first, because a later source overwrites the values of the former ones.
        let sources: [any ConfigurationSource] = (file.map { [$0] } ?? []) + [variables, flags]
        var configuration = DaemonConfiguration()
        var locations: [String: ConfigurationProblem.Location] = [:]
        var problems: [ConfigurationProblem] = []
        for source in sources {
            var found = source.problems
            for key in program.keys {
                do {
                    if try key.read(from: source.provider, into: &configuration) {
                        locations[key.name] = source.location(of: key, item: nil)
                    }
                } catch {
                    found.append(Self.problem(error, with: key, in: source))
                }
            }
            problems += found.sorted { ($0.location.line ?? 0) < ($1.location.line ?? 0) }
        }
        if problems.isEmpty {
            problems = configuration.contradictions(locations) + ownProblems(configuration, locations)
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        let warnings = variables.warnings + configuration.unsafeAddresses(locations)
        return Loaded(configuration: configuration, file: file?.path, warnings: warnings)
    }

    /// Returns the value that the type of the daemon's author refuses, if there is one.
    private func ownProblems(
        _ configuration: DaemonConfiguration,
        _ locations: [String: ConfigurationProblem.Location]
    ) -> [ConfigurationProblem] {
        guard let problem = program.own?.problem(configuration.own) else { return [] }
        // Without a place, the value is one that no source has.
        let location = locations[problem.key] ?? .init(source: "the configuration")
        return [ConfigurationProblem(location: location, message: "\(problem.key): \(problem.message)")]
    }

    private func readFile() throws(ConfigurationError) -> ConfigurationFile? {
        guard let path else { return nil }
        do {
            return ConfigurationFile(path: path, text: try FileText.read(path), keys: program.keys)
        } catch {
            if error.isAbsence, file == nil { return nil }
            let message = "the configuration file cannot be read: \(error.reason)"
            throw ConfigurationError(problems: [.init(location: .init(source: path), message: message)])
        }
    }

    /// The path of the file, whether or not it exists; nil without a directory for it.
    package var path: String? { file ?? defaultFile }

    /// The default path.
    ///
    /// The XDG Base Directory Specification ignores relative paths.
    private var defaultFile: String? {
        let file = program.configurationPath
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
            location: source.location(of: key, item: problem.item),
            message: "\(name): expected \(problem.expected)" + (shown.map { ", found \($0)" } ?? "")
        )
    }
}
