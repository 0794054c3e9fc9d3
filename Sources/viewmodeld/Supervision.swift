import Logging
import Systemd
import ViewModelServer
import ViewModelStore

/// What the daemon and its service manager have to do with each other.
struct Supervision: Sendable {
    /// Tells the manager how the daemon is.
    let notifier: ServiceNotifier
    private let environment: ServiceEnvironment

    /// Takes what the manager left in the environment; to be made once, first thing in the program.
    init() {
        environment = .consume()
        notifier = environment.makeNotifier()
    }

    /// The descriptors of the sockets that the manager passed.
    ///
    /// - Throws: `InheritedSocketError` when one of them cannot be listened at.
    func inheritedSockets() throws -> [Int32] {
        try environment.listeningSockets().map(\.descriptor)
    }

    /// Tells the manager what the server tells.
    func notify(_ phase: ServerPhase, _ logger: Logger) {
        switch phase {
        case .listening(let paths):
            guard !notifier.ready(status: "Listening at \(paths.joined(separator: ", "))") else { return }
            logger.error("The service manager could not be told that the daemon is ready")
        case .stopping:
            notifier.stopping()
            notifier.status("Stopping")
        case .waiting(let actions):
            notifier.status("Stopping: waiting for \(actions) \(actions == 1 ? "action" : "actions")")
        }
    }

    /// What gives the manager signs of life; nil when it does not ask for any.
    func watchdog(_ server: ViewModelServer, _ store: StateStore, _ logger: Logger) -> Watchdog? {
        guard let timeout = environment.watchdogTimeout else { return nil }
        let threads = server.probes.map { probe in
            WatchdogProbe(probe.name) { answer in probe.ask { answer(.alive) } }
        }
        let storage = WatchdogProbe("store") { answer in
            store.probe { _ in
                // An error is an answer, too. Another start mends neither a full disk nor a lock of another process;
                // it would only end what works without the store.
                answer(.alive)
            }
        }
        return Watchdog(timeout: timeout, probes: threads + [storage], notifier: notifier, logger: logger)
    }
}
