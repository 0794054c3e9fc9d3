import ArgumentParser
import Logging
import Systemd
import UnixIO
import ViewModelServer
import ViewModelStorage

/// The daemon's side of the service manager's protocol: inherited sockets, state notifications and the watchdog.
struct ServiceManager: Sendable {
    /// Sends the daemon's state to the service manager (sd_notify(3)).
    let notifier: ServiceNotifier
    private let environment: ServiceEnvironment

    /// Consumes the variables that the service manager set; call it once, before the process has a second thread.
    init() {
        environment = .consume()
        notifier = environment.makeNotifier()
    }

    /// Returns the descriptors of the sockets that the service manager passed.
    ///
    /// - Throws: `InheritedSocketError` when the daemon cannot listen on one of them.
    func inheritedSockets() throws -> [Int32] {
        try environment.listeningSockets().map(\.descriptor)
    }

    /// The exit codes after which the unit does not start the daemon again (RestartPreventExitStatus=), with the reasons
    /// for clients of any user.
    private static let lastingFailures = [
        64: "its command line is wrong",
        71: "its store is damaged, or a newer version wrote it",
        78: "its configuration or the key of its vault is wrong",
    ]

    /// Answers the clients that wait on passed sockets for a daemon that would fail again at its next start.
    ///
    /// After other failures they wait for the next start. Only the daemon's own user and root see the reason.
    func refuseClients(_ code: ExitCode, reason: String) {
        guard let publicReason = Self.lastingFailures[Int(code.rawValue)], let sockets = try? inheritedSockets() else {
            return
        }
        let line = reason.shown.split(whereSeparator: \.isNewline).joined(separator: "; ")
        WaitingClients.refuse(on: sockets, reason: String(line.prefix(1000)), publicReason: publicReason)
    }

    func notify(_ phase: ServerPhase, _ logger: Logger) {
        switch phase {
        case .listening(let paths):
            guard !notifier.ready(status: "Listening at \(paths.joined(separator: ", "))") else { return }
            logger.error("The service manager was not notified that the daemon is ready")
        case .stopping:
            notifier.stopping()
            notifier.status("Stopping")
        case .waiting(let actions):
            notifier.status("Stopping: waiting for \(actions) \(actions == 1 ? "action" : "actions")")
        }
    }

    /// Returns the service that feeds the manager's watchdog, or nil if the manager has not set a timeout.
    ///
    /// `store` is nil for a daemon that keeps nothing.
    func watchdog(_ server: ViewModelServer, _ store: (any StateStorage)?, _ logger: Logger) -> Watchdog? {
        guard let timeout = environment.watchdogTimeout else { return nil }
        var probes = server.probes.map { WatchdogProbe($0.name, ask: $0.ask) }
        if let store {
            // An error also counts as a sign of life. A restart frees no disk space and releases no other process's lock.
            // It would only end the work that needs no store.
            probes.append(WatchdogProbe("store") { answer in store.probe { _ in answer() } })
        }
        return Watchdog(timeout: timeout, probes: probes, notifier: notifier, logger: logger)
    }
}
