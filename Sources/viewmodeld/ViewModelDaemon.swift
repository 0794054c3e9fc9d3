import ArgumentParser
import Logging
import ReferenceViewModels
import ServiceLifecycle
import UnixSignals
import ViewModelKit
import ViewModelServer

/// The daemon: configuration, then services, then one group that runs them.
@main
struct ViewModelDaemon: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "viewmodeld",
        abstract: "Hosts ViewModels behind a JSON-RPC 2.0 Unix socket.",
        discussion: "Talk to it with viewmodelctl, or with socat: see viewmodelctl --help.",
        version: Version.current
    )

    @OptionGroup var options: DaemonOptions

    func run() async throws {
        let logger = options.makeLogger()
        do {
            var catalog = ViewModelCatalog()
            try ReferenceViewModels.register(in: &catalog, lab: options.lab)
            let server = try ViewModelServer(
                catalog: catalog,
                socket: options.socketPath(),
                stateDirectory: options.statePath(),
                version: Version.current,
                logger: logger
            )
            let group = ServiceGroup(
                services: [server],
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: logger
            )
            try await group.run()
        } catch {
            logger.critical("\(error)")
            throw DaemonExit.code(for: error)
        }
    }
}

/// The program's version.
enum Version {
    static let current = "1.0.0"
}
