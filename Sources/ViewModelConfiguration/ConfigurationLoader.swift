package import ViewModelHost

/// A loader of the configuration: flags override the environment, which overrides the files, which override the
/// defaults.
///
/// The files are the configuration file and the additions beside it (``AdditionalFiles``). A later file overrides a
/// former one; its rules of `access` are added. Each ``load()`` reads the files again.
package struct ConfigurationLoader: Sendable {
    /// The result of a load.
    package struct Loaded: Sendable {
        package let configuration: DaemonConfiguration
        /// The paths of the files that were read.
        package let files: [String]
        /// The stamps of ``ConfigurationLoader/watchedPaths`` before they were read.
        package let stamps: FileStamps
        /// Questionable values that do not prevent a start.
        package let warnings: [ConfigurationProblem]

        /// The files for a message.
        package var names: String { files.isEmpty ? "No configuration file" : files.joined(separator: ", ") }
    }

    /// The daemon whose configuration it is.
    package let program: DaemonProgram
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
    /// Blocks on the files and on the system's user database.
    ///
    /// A wrong value is an error even if a stronger source overrides it, because that source may disappear.
    ///
    /// - Parameter isFirst: Whether the file may be a pipe, which can be read once.
    /// - Returns: The configuration, and the files that it is from.
    /// - Throws: ``ConfigurationError`` with all problems.
    package func load(isFirst: Bool = true) throws(ConfigurationError) -> Loaded {
        let stamps = FileStamps(of: watchedPaths)
        let files = try readFiles(isFirst: isFirst)
        let variables = EnvironmentSource(environment, of: program)
        // Weakest first, because a later source overwrites the values of the former ones.
        let sources: [any ConfigurationSource] = files + [variables, flags]
        var configuration = DaemonConfiguration()
        var locations: [String: ConfigurationProblem.Location] = [:]
        var problems: [ConfigurationProblem] = []
        for source in sources {
            var found = source.problems
            let rules = configuration.host.access.rules
            for key in program.configurationKeys {
                do {
                    if try key.read(from: source, into: &configuration) {
                        locations[key.name] = source.location(of: key, item: nil)
                        if key.name == "access", source is ConfigurationFile {
                            configuration.host.access.rules.insert(contentsOf: rules, at: 0)
                        }
                    }
                } catch {
                    found.append(Self.problem(error, with: key, in: source))
                }
            }
            problems += found.sorted { ($0.location.line ?? 0) < ($1.location.line ?? 0) }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        let reviews = program.features.map { $0.review(configuration, locations) }
        problems = reviews.flatMap(\.problems) + ownProblems(configuration, locations)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        let warnings = variables.warnings + reviews.flatMap(\.warnings)
        return Loaded(configuration: configuration, files: files.map(\.path), stamps: stamps, warnings: warnings)
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

    private func readFiles(isFirst: Bool) throws(ConfigurationError) -> [ConfigurationFile] {
        guard let path else { return [] }
        var files: [ConfigurationFile] = []
        if let main = try read(path, isOptional: file == nil, mayWait: isFirst) { files.append(main) }
        for addition in try AdditionalFiles(of: path).paths() {
            if let file = try read(addition, isOptional: false, mayWait: false) { files.append(file) }
        }
        return files
    }

    private func read(
        _ path: String,
        isOptional: Bool,
        mayWait: Bool
    ) throws(ConfigurationError) -> ConfigurationFile? {
        do {
            return ConfigurationFile(path: path, text: try FileText.read(path, mayWait: mayWait), of: program)
        } catch {
            if error.isAbsence, isOptional { return nil }
            let message = "the configuration file cannot be read: \(error.reason)"
            throw ConfigurationError(problems: [.init(location: .init(source: path), message: message)])
        }
    }

    /// The paths of the file, of the directory of additions, and of the additions that exist.
    package var watchedPaths: [String] {
        guard let path else { return [] }
        let additions = AdditionalFiles(of: path)
        return [path, additions.directory] + ((try? additions.paths()) ?? [])
    }

    /// The path of the file, whether or not it exists; nil without a directory for it.
    private var path: String? { file ?? defaultFile }

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
