import Glibc
import JSONRPC
import UnixIO
package import ViewModelHost

/// A flag of the command line that overrides a key of the configuration.
package typealias KeyFlag = (key: String, flag: String, value: String)

/// A loader of the configuration: flags override the environment, which overrides the files, which override the
/// defaults.
///
/// The files are the configuration file and those of the directory beside it, `viewmodeld.d` beside `viewmodeld.yaml`,
/// whose names end in `.yaml` and that are not hidden, in the byte order of their names. A later file overrides a former
/// one; its rules of `access` are added. Each ``load()`` reads the files again.
package struct ConfigurationLoader: Sendable {
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

    package let program: DaemonProgram
    /// The path of a file that must exist, or nil for the default file, which may be missing.
    private let file: String?
    private let flags: [KeyFlag]
    private let environment: [String: String]
    /// Whether the default file is the system's, and not the user's.
    private let isRoot: Bool

    package init(
        of program: DaemonProgram = .viewmodeld,
        file: String?,
        flags: [KeyFlag] = [],
        environment: [String: String] = ProcessText.variables,
        isRoot: Bool = geteuid() == 0
    ) {
        self.program = program
        self.file = file
        self.flags = flags
        self.environment = environment
        self.isRoot = isRoot
    }

    /// Loads the configuration.
    ///
    /// Blocks on the files and on the system's user database. A wrong value is an error even if a stronger source overrides
    /// it, because that source may disappear. Only at the first load may a file be a pipe, which can be read once.
    ///
    /// - Throws: ``ConfigurationError`` with all problems.
    package func load(isFirst: Bool = true) throws(ConfigurationError) -> Loaded {
        let stamps = FileStamps(of: watchedPaths)
        let files = try readFiles(isFirst: isFirst)
        let variables = EnvironmentSource(environment, of: program)
        let flags = flags.map { key, flag, text in
            (key, ConfigurationValue(text, from: flag, isQuoted: false))
        }
        // Weakest first, because a later source overwrites the values of the former ones.
        typealias Source = (values: [String: ConfigurationValue], problems: [ConfigurationProblem], addsRules: Bool)
        let sources: [Source] =
            files.map { ($0.values, $0.problems, true) }
            + [(variables.values, variables.problems, false), (Dictionary(flags) { first, _ in first }, [], false)]
        var configuration = DaemonConfiguration()
        var locations: [String: ConfigurationProblem.Location] = [:]
        var problems: [ConfigurationProblem] = []
        for source in sources {
            var found = source.problems
            for key in program.configurationKeys {
                guard let given = source.values[key.name] else { continue }
                do {
                    var value = try key.kind.value(given)
                    if key.name == "access", source.addsRules, let rules = configuration.values[key.name]?.arrayValue {
                        value = .array(rules + (value.arrayValue ?? []))
                    }
                    configuration.values[key.name] = value == key.defaultValue() ? nil : value
                    locations[key.name] = given.location
                } catch {
                    found.append(Self.problem(error, with: key, given))
                }
            }
            problems += found.sorted { ($0.location.line ?? 0) < ($1.location.line ?? 0) }
        }
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        let reviews = program.features.map { $0.review(configuration, locations) }
        problems = reviews.flatMap(\.problems)
        guard problems.isEmpty else { throw ConfigurationError(problems: problems) }
        let warnings = variables.warnings + reviews.flatMap(\.warnings)
        return Loaded(configuration: configuration, files: files.map(\.path), stamps: stamps, warnings: warnings)
    }

    private func readFiles(isFirst: Bool) throws(ConfigurationError) -> [ConfigurationFile] {
        guard let path else { return [] }
        var files: [ConfigurationFile] = []
        func read(_ path: String, isOptional: Bool = false, mayWait: Bool = false) throws(ConfigurationError) {
            do {
                let text = try FileText.read(path, mayWait: mayWait)
                files.append(ConfigurationFile(path: path, text: text, of: program))
            } catch {
                if isOptional, error.isAbsence { return }
                let message = "the configuration file cannot be read: \(error.reason)"
                throw ConfigurationError(problems: [.init(location: .init(source: path), message: message)])
            }
        }
        try read(path, isOptional: file == nil, mayWait: isFirst)
        for addition in try Self.additions(in: Self.directory(of: path)) { try read(addition) }
        return files
    }

    /// The paths of the file, of the directory of additions, and of the additions that exist.
    package var watchedPaths: [String] {
        guard let path else { return [] }
        let directory = Self.directory(of: path)
        return [path, directory] + ((try? Self.additions(in: directory)) ?? [])
    }

    /// Returns the directory of the additions to a file: its path with `.d` in place of the extension.
    private static func directory(of file: String) -> String {
        let start = file.lastIndex(of: "/").map { file.index(after: $0) } ?? file.startIndex
        // The dot of a hidden file begins no extension.
        let dot = file[start...].dropFirst().lastIndex(of: ".")
        return file[..<(dot ?? file.endIndex)] + ".d"
    }

    private static func additions(in directory: String) throws(ConfigurationError) -> [String] {
        guard let names = Paths.entries(of: directory) else {
            let error = SystemError.last
            guard error.code != ENOENT else { return [] }
            let message = "the directory cannot be read: \(error)"
            throw ConfigurationError(problems: [.init(location: .init(source: directory), message: message)])
        }
        return names.filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }
            .sorted { $0.systemBytes.lexicographicallyPrecedes($1.systemBytes) }
            .map { directory + "/" + $0 }
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
        _ value: ConfigurationValue
    ) -> ConfigurationProblem {
        var name = key.name
        if let item = problem.item { name += "[\(item)]" }
        if let member = problem.member { name += ".\(member)" }
        let found = problem.found ?? (problem.item == nil ? value.found : nil)
        let shown = key.kind.isEchoed ? found : "something else"
        var location = value.location
        if let line = problem.item.flatMap(value.line(ofItem:)) { location.line = line }
        return ConfigurationProblem(
            location: location,
            message: "\(name): expected \(problem.expected)" + (shown.map { ", found \($0)" } ?? "")
        )
    }
}
