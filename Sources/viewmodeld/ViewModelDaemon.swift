import ArgumentParser
import Foundation
import Logging
import UnixSignals
import ViewModelConfiguration
import ViewModelProtocol
import ViewModelStore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The program `viewmodeld`: it parses flags, loads the configuration and starts a ``DaemonRun``.
@main
struct ViewModelDaemon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewmodeld",
        abstract: "Hosts ViewModels behind a JSON-RPC 2.0 Unix socket.",
        discussion: "Talk to it with viewmodelctl, or with socat: see viewmodelctl --help.",
        version: Release.version,
        subcommands: [VaultCommand.self]
    )

    /// The link to the service manager, whose environment variables the first access consumes.
    private static let serviceManager = ServiceManager()

    @OptionGroup var options: DaemonOptions

    static func main() async {
        CoreDumps.forbid()
        // libdispatch requests thread priorities, which a restricted process may not set, and logs each failure to
        // syslog. It reads this variable before its first log line.
        setenv("LIBDISPATCH_LOG", "NO", 0)
        // The environment must not change while another thread reads it (environ(7)), so this precedes all threads.
        _ = serviceManager
        #if compiler(<6.4) && !DEFAULT_EXECUTOR
            GlobalExecutor.install()
        #endif
        // The preparation needs neither the command line nor the configuration, so it overlaps with their parsing.
        Task.detached { StateStore.prepare() }
        await main(nil)
    }

    func run() async throws {
        let serviceManager = Self.serviceManager
        let loaded: ConfigurationLoader.Loaded
        do {
            loaded = try options.configurationLoader.load()
        } catch {
            printMessage("\(error)", .error)
            throw DaemonExit.code(for: error)
        }
        if options.checkConfig {
            loaded.warnings.forEach { printMessage("warning: \($0)", .warning) }
            print("\(loaded.file ?? "No configuration file"): the configuration is valid")
            return
        }
        // Before this line SIGHUP ends the process. From here on it requests a reload of the configuration.
        let reloadSignals = await UnixSignalsSequence(trapping: .sighup)
        let log = DaemonLog(loaded.configuration.log, environment: ProcessInfo.processInfo.environment)
        defer { log.flush() }
        do {
            try await DaemonRun(
                options: options,
                loaded: loaded,
                serviceManager: serviceManager,
                reloadSignals: reloadSignals,
                log: log
            ).run()
        } catch {
            log.logger.critical("\(error)")
            throw DaemonExit.code(for: error)
        }
    }

    private func printMessage(_ text: String, _ level: Logger.Level) {
        StandardError.print(text, level: level, environment: ProcessInfo.processInfo.environment)
    }
}
