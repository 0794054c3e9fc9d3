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
    private let loader: ConfigurationLoader
    private var running: DaemonConfiguration
    /// The stamps of the files that ``running`` is from.
    private let stamps: FileStamps
    private let reloadSignals: UnixSignalsSequence
    private let notifier: ServiceNotifier
    private let logger: Logger
    private let apply: @Sendable (DaemonConfiguration) -> Void

    /// `apply` applies the live keys of a configuration to the running daemon.
    init(
        _ loader: ConfigurationLoader,
        running loaded: ConfigurationLoader.Loaded,
        reloadSignals: UnixSignalsSequence,
        notifier: ServiceNotifier,
        logger: Logger,
        apply: @escaping @Sendable (DaemonConfiguration) -> Void
    ) {
        self.loader = loader
        running = loaded.configuration
        stamps = loaded.stamps
        self.reloadSignals = reloadSignals
        self.notifier = notifier
        self.logger = logger
        self.apply = apply
    }

    /// Reloads on each signal and file change until a graceful shutdown.
    func run() async {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { for await _ in self.reloadSignals { await self.reload() } }
                group.addTask {
                    let loader = self.loader
                    await FileWatch.follow({ loader.watchedPaths }, since: self.stamps, logger: self.logger) {
                        await self.reload()
                    }
                }
            }
        }
    }

    /// Returns the stamps of the files that were read, or nil if the configuration is invalid.
    @discardableResult
    private func reload() -> FileStamps? {
        notifier.reloading()
        do {
            let loaded = try loader.load(isFirst: false)
            adopt(loaded)
            notifier.ready(status: "Read the configuration again")
            return loaded.stamps
        } catch {
            for problem in error.problems {
                logger.error(
                    "The configuration is invalid; the old one stays in force",
                    metadata: ["place": "\(problem.location)", "reason": "\(problem.message)"]
                )
            }
            notifier.ready(status: "The configuration is invalid; the old one stays in force")
            return nil
        }
    }

    private func adopt(_ loaded: ConfigurationLoader.Loaded) {
        let changes = running.adopt(loaded.configuration, of: loader.program)
        apply(running)
        var metadata: Logger.Metadata = ["changed": "\(changes.applied.joined(separator: ", "))"]
        if !loaded.files.isEmpty { metadata["file"] = "\(loaded.names)" }
        logger.notice("Read the configuration again", metadata: metadata)
        if !changes.waiting.isEmpty {
            logger.warning(
                "Some changes of the configuration need a restart",
                metadata: ["keys": "\(changes.waiting.joined(separator: ", "))"]
            )
        }
    }
}
