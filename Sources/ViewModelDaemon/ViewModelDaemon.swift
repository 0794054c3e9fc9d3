public import ArgumentParser
import Foundation
import Glibc
import Logging
import Systemd
import UnixIO
import ViewModelConfiguration
public import ViewModelKit
import ViewModelStore

/// A daemon: everything that it has beside its ViewModels.
///
/// This is a whole `main.swift`:
///
///     import ViewModelDaemon
///     import ViewModelKit
///
///     await ViewModelDaemon("podcastd", version: "1.0") { catalog in
///         try catalog.host(Player.self) { context in Player(clock: context.clock) }
///     }.run()
///
/// The program has the flags, the configuration file, the environment variables, the log, the sockets and the exit
/// codes of `viewmodeld`. It saves named sessions in its state directory, talks to a service manager, reloads its
/// configuration on SIGHUP and stops in order on SIGTERM.
///
/// The names of files and variables follow the daemon's name. For `podcastd` they are
/// `$XDG_RUNTIME_DIR/podcastd/podcastd.sock`, `~/.config/podcastd/podcastd.yaml`, `~/.local/state/podcastd` and
/// `PODCASTD_LOG_LEVEL`.
public struct ViewModelDaemon: Sendable {
    private let name: String
    private let version: String
    private let features: [any Feature]
    private let program: @Sendable () throws -> DaemonProgram
    private let command: @Sendable (ServiceManager) async -> Void

    /// Creates a daemon with flags of its own, as ``init(_:version:features:options:settings:register:)`` without settings.
    public init<Options: ParsableArguments & Sendable>(
        _ name: String,
        version: String,
        features: [DaemonFeature] = [],
        options: Options.Type,
        register: @escaping @Sendable (inout ViewModelCatalog, DaemonContext, Options) async throws -> Void
    ) {
        self.init(name, version: version, features: features, options: options, own: { nil }, register: register)
    }

    /// Creates a daemon with flags of its own, and with keys of its own in the configuration.
    ///
    /// The keys are the members of the settings, in the section `app` of the configuration file. A member `server` is
    /// the key `app.server`, and the variable `PODCASTD_APP_SERVER` of the daemon `podcastd`. A member that is a struct
    /// is a section. A wrong value ends the start with the exit code 78, as a wrong value of the daemon's own keys does.
    /// A change needs a restart.
    ///
    /// - Parameters:
    ///   - name: the name of the program: a lower-case letter, then lower-case letters, digits, `-` and `_`; at most 32
    ///     characters.
    ///   - version: the version that `--version` prints and that clients receive.
    ///   - features: the parts of the daemon beside its core.
    ///   - options: the type of the flags. Its names must differ from those of the daemon's own flags.
    ///   - settings: the values that apply where the configuration has none. Its type is a struct with `@Schemable`,
    ///     whose members are texts, numbers, Booleans, enums of texts, or such structs.
    ///   - register: hosts the ViewModels, and provides their services. It is called once, before the daemon listens,
    ///     with the settings of the configuration. An error ends the program with the exit code 1.
    public init<Options: ParsableArguments & Sendable, Settings: Schemable & Sendable>(
        _ name: String,
        version: String,
        features: [DaemonFeature] = [],
        options: Options.Type,
        settings: Settings,
        register: @escaping @Sendable (inout ViewModelCatalog, DaemonContext, Options, Settings) async throws -> Void
    ) {
        self.init(
            name,
            version: version,
            features: features,
            options: options,
            own: { try FeatureKeys(of: settings) }
        ) { catalog, context, options in
            let settings = try context.configuration.settings(settings, in: ConfigurationKey.ownSection)
            try await register(&catalog, context, options, settings)
        }
    }

    /// Creates a daemon with keys of its own in the configuration.
    ///
    /// They are as for ``init(_:version:features:options:settings:register:)``.
    public init<Settings: Schemable & Sendable>(
        _ name: String,
        version: String,
        features: [DaemonFeature] = [],
        settings: Settings,
        register: @escaping @Sendable (inout ViewModelCatalog, DaemonContext, Settings) async throws -> Void
    ) {
        self.init(name, version: version, features: features, options: NoOptions.self, settings: settings) {
            catalog,
            context,
            _,
            settings in
            try await register(&catalog, context, settings)
        }
    }

    private init<Options: ParsableArguments & Sendable>(
        _ name: String,
        version: String,
        features: [DaemonFeature],
        options: Options.Type,
        own: @escaping @Sendable () throws -> FeatureKeys?,
        register: @escaping @Sendable (inout ViewModelCatalog, DaemonContext, Options) async throws -> Void
    ) {
        let features = features.map(\.feature)
        self.name = name
        self.version = version
        self.features = features
        program = {
            let keys = features.map(\.keys) + [try own()].compactMap(\.self)
            guard let program = DaemonProgram(name: name, features: keys) else {
                throw DaemonExit(
                    description: "this is no name for a daemon; a name has lower-case letters, digits, - and _, with a "
                        + "letter first"
                )
            }
            return program
        }
        command = Self.command(name, features.flags, options, register)
    }

    /// Returns what runs the command line of a daemon with the flags of its features; it ends the process after an error.
    private static func command<Options: ParsableArguments & Sendable, Flags: FlagList>(
        _ name: String,
        _ flags: Flags.Type,
        _ options: Options.Type,
        _ register: @escaping @Sendable (inout ViewModelCatalog, DaemonContext, Options) async throws -> Void
    ) -> @Sendable (ServiceManager) async -> Void {
        { serviceManager in
            await ProcessArguments.run(DaemonCommand<Options, Flags>.self, as: name) { code, reason in
                serviceManager.refuseClients(code, reason: reason)
            } start: { daemon in
                try await daemon.start(serviceManager) { catalog, context in
                    try await register(&catalog, context, daemon.own)
                }
            }
        }
    }

    /// Creates a daemon.
    ///
    /// - Parameters:
    ///   - name: the name of the program: a lower-case letter, then lower-case letters, digits, `-` and `_`; at most 32
    ///     characters.
    ///   - version: the version that `--version` prints and that clients receive.
    ///   - features: the parts of the daemon beside its core.
    ///   - register: hosts the ViewModels, and provides their services. It is called once, before the daemon listens. An
    ///     error ends the program with the exit code 1.
    public init(
        _ name: String,
        version: String,
        features: [DaemonFeature] = [],
        register: @escaping @Sendable (inout ViewModelCatalog, DaemonContext) async throws -> Void
    ) {
        self.init(name, version: version, features: features, options: NoOptions.self) { catalog, context, _ in
            try await register(&catalog, context)
        }
    }

    /// Creates a daemon whose ViewModels need nothing of it, as with the context.
    public init(
        _ name: String,
        version: String,
        features: [DaemonFeature] = [],
        register: @escaping @Sendable (inout ViewModelCatalog) async throws -> Void
    ) {
        self.init(name, version: version, features: features, options: NoOptions.self) { catalog, _, _ in
            try await register(&catalog)
        }
    }

    /// Runs the program of the command line: the daemon until SIGTERM or SIGINT, or a command such as `vault rotate`.
    ///
    /// Call it first in `main.swift`, before the process has other threads and tasks. It returns if the daemon was asked
    /// to stop. Otherwise it ends the process: with 0 after `--help`, 64 for a wrong command line, 78 for a wrong
    /// configuration, 73 if the socket or the state directory cannot be used, 71 for a damaged store and for one of
    /// a newer version, and 1 for any other error, which the log names.
    public func run() async {
        StandardDescriptors.open()
        StandardDescriptors.writeLines()
        CoreDumps.forbid()
        // libdispatch requests thread priorities, which a restricted process may not set, and logs each failure to
        // syslog. It reads this variable before its first log line.
        setenv("LIBDISPATCH_LOG", "NO", 0)
        // The environment must not change while another thread reads it (environ(7)), so this precedes all threads.
        let serviceManager = ServiceManager()
        #if compiler(<6.4) && !DEFAULT_EXECUTOR
            GlobalExecutor.install()
        #endif
        do {
            let program = try program()
            ProcessArguments.require(as: name, reading: program)
            RunningDaemon.start(program, version: version, features: features)
        } catch {
            StandardError.print(as: name, "\(error)", level: .critical)
            Foundation.exit(1)
        }
        // The preparation needs neither the command line nor the configuration, so it overlaps with their parsing.
        Task.detached { StateStore.prepare() }
        await command(serviceManager)
    }
}
