import ArgumentParser
import Foundation
import Logging
import PathArguments
import UnixIO
import UnixSignals
import ViewModelConfiguration
import ViewModelKit

/// The command line of a daemon with its own flags and those of its features.
struct DaemonCommand<Own: ParsableArguments & Sendable, Flags: FlagList>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        let keys = RunningDaemon.program.ownKeys.map { "\($0.name): \($0.expectation)" }
        return CommandConfiguration(
            commandName: RunningDaemon.program.name,
            abstract: "Hosts ViewModels behind a JSON-RPC 2.0 Unix socket.",
            discussion: "Talk to it with viewmodelctl, or with socat: see viewmodelctl --help."
                + (keys.isEmpty ? "" : "\n\nIts own keys in the configuration:\n\(keys.joined(separator: "\n"))"),
            version: RunningDaemon.version,
            subcommands: [BackupCommand.self, RestoreCommand.self]
                + RunningDaemon.features.flatMap(\.commands) + [ConfigurationCommand.self]
        )
    }

    @OptionGroup var options: DaemonOptions
    @OptionGroup var flags: Flags
    @OptionGroup var own: Own

    /// Loads the configuration, and runs the daemon until it is asked to stop.
    ///
    /// - Throws: `ExitCode`, after the error was printed or logged.
    func start(
        _ serviceManager: ServiceManager,
        register: @escaping @Sendable (inout ViewModelCatalog, DaemonContext) async throws -> Void
    ) async throws {
        let loader = options.configurationLoader(
            overrides: RunningDaemon.features.flatMap { $0.overrides(in: flags) }
        )
        let loaded: ConfigurationLoader.Loaded
        var parts: DaemonParts
        do {
            loaded = try loader.load()
            if options.checkConfig { _ = try RunningDaemon.selectedStore(loaded.configuration) }
            parts = DaemonParts(configuration: loaded.configuration)
            for feature in RunningDaemon.features { try feature.prepare(&parts, from: flags) }
        } catch {
            RunningDaemon.print("\(error)", level: .error)
            let code = DaemonExit.code(for: error)
            if !options.checkConfig { serviceManager.refuseClients(code, reason: "\(error)") }
            throw code
        }
        if options.checkConfig {
            loaded.warnings.forEach { RunningDaemon.print("warning: \($0)", level: .warning) }
            try Descriptor.output.write(line: "\(loaded.names): the configuration is valid")
            for finding in parts.findings { try Descriptor.output.write(line: finding) }
            return
        }
        // Before this line SIGHUP ends the process. From here on it requests a reload of the configuration.
        let reloadSignals = await UnixSignalsSequence(trapping: .sighup)
        let log = DaemonLog(of: RunningDaemon.program.name, loaded.configuration.log)
        defer { log.flush() }
        do {
            try await DaemonRun(
                options: options,
                loader: loader,
                loaded: loaded,
                serviceManager: serviceManager,
                reloadSignals: reloadSignals,
                log: log,
                parts: parts,
                register: register
            ).run()
        } catch {
            log.logger.critical("\(error)")
            let code = DaemonExit.code(for: error)
            serviceManager.refuseClients(code, reason: "\(error)")
            throw code
        }
    }
}
