import Logging
import ServiceLifecycle
import Systemd
import UnixSignals
import ViewModelConfiguration
import ViewModelHost

/// A service that reloads the configuration on SIGHUP and when a configuration file changes.
///
/// Live keys change at once. The log names the changed keys that need a restart. If the new configuration is invalid,
/// the old one stays in force.
actor ConfigurationReloader: Service {
    private let daemon: DaemonRun
    private var running: DaemonConfiguration
    private let apply: @Sendable (DaemonConfiguration) -> Void

    /// `apply` applies the live keys of a configuration to the running daemon.
    init(of daemon: DaemonRun, apply: @escaping @Sendable (DaemonConfiguration) -> Void) {
        self.daemon = daemon
        running = daemon.loaded.configuration
        self.apply = apply
    }

    /// Reloads on each signal and file change until a graceful shutdown.
    func run() async {
        let daemon = daemon
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in daemon.reloadSignals { await self.reload() } }
                group.addTask {
                    let (paths, stamps) = ({ @Sendable in daemon.loader.watchedPaths }, daemon.loaded.stamps)
                    await FileWatch.follow(paths, since: stamps, logger: daemon.logger) { await self.reload() }
                }
            }
        }
    }

    /// Returns the stamps of the files that were read, or nil if the configuration is invalid.
    @discardableResult
    private func reload() -> FileStamps? {
        let notifier = daemon.serviceManager.notifier
        notifier.reloading()
        do {
            let loaded = try daemon.loader.load(isFirst: false)
            adopt(loaded)
            notifier.ready(status: "Read the configuration again")
            return loaded.stamps
        } catch {
            for problem in error.problems {
                daemon.logger.error(
                    "The configuration is invalid; the old one stays in force",
                    metadata: ["place": "\(problem.location)", "reason": "\(problem.message)"]
                )
            }
            notifier.ready(status: "The configuration is invalid; the old one stays in force")
            return nil
        }
    }

    private func adopt(_ loaded: ConfigurationLoader.Loaded) {
        let changes = running.adopt(loaded.configuration, of: daemon.loader.program)
        apply(running)
        var metadata: Logger.Metadata = ["changed": "\(changes.applied.joined(separator: ", "))"]
        if !loaded.files.isEmpty { metadata["file"] = "\(loaded.names)" }
        daemon.logger.notice("Read the configuration again", metadata: metadata)
        if !changes.waiting.isEmpty {
            daemon.logger.warning(
                "Some changes of the configuration need a restart",
                metadata: ["keys": "\(changes.waiting.joined(separator: ", "))"]
            )
        }
    }
}
