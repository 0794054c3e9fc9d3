import Logging
import NIOCore
import NIOHTTP1
import ViewModelConfiguration

/// The times of a gateway: pings, the end without clients, and the end of all connections.
extension Gateway {
    /// Starts the pings and the idle time.
    func startClocks() {
        scheduleTick()
        restartIdleTime()
    }

    private func scheduleTick() {
        let interval = TimeAmount.seconds(Int64(server.configuration.pingSeconds))
        eventLoop.assumeIsolated().scheduleTask(in: interval) { [weak self] in
            for connection in self?.connections.all ?? [] { connection.tick() }
            self?.scheduleTick()
        }
    }

    /// Adds a connection; returns nil at the limit.
    func add(_ connection: any GatewayConnection) -> GatewayConnections.Key? {
        idleTime?.cancel()
        return connections.add(connection)
    }

    /// Removes a connection after its channel has closed.
    func connectionClosed(_ key: GatewayConnections.Key) {
        connections.remove(key)
        team?.detach(key)
        guard connections.count == 0 else { return }
        stopped?.succeed()
        restartIdleTime()
    }

    /// Ends all connections, and completes when they are closed.
    func stop() -> EventLoopFuture<Void> {
        idleTime?.cancel()
        let promise = eventLoop.makePromise(of: Void.self)
        stopped = promise
        for connection in connections.all { connection.stop() }
        if connections.count == 0 { promise.succeed() }
        return promise.futureResult
    }

    private func restartIdleTime() {
        guard server.configuration.idleSeconds > 0, stopped == nil else { return }
        let time = TimeAmount.seconds(Int64(server.configuration.idleSeconds))
        idleTime = eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in
            self?.server.idle.continuation.yield()
        }
    }

    /// Logs that a connection to the daemon has ended before its client's, unless the daemon is known to be away.
    func logLost(_ end: DaemonLink.End) {
        var reason = "the daemon closed the connection"
        if case .lost(let text) = end { reason = text }
        switch end {
        case .denied(let text), .turnedAway(let text):
            guard denied.isDue() else { return }
            reason = text
        default:
            guard hasDaemon else { return }
            hasDaemon = false
        }
        server.logger.info(
            "A connection to the daemon has ended",
            metadata: ["socket": "\(server.daemon)", "reason": "\(reason)"]
        )
    }

    /// Takes note of a connection to the daemon.
    func daemonAccepted() {
        guard !hasDaemon else { return }
        hasDaemon = true
        server.logger.info("The daemon accepts connections again", metadata: ["socket": "\(server.daemon)"])
    }
}

extension HTTPConnection {
    /// Replies that the daemon does not serve the request.
    func refuse(_ end: DaemonLink.End) {
        switch end {
        // The daemon's own error says what is wrong with the session or the binding.
        case .refused(let reply): self.reply(.badRequest, ["Content-Type": "application/json"], reply)
        case .tooLong: refuse(RequestRefusal(.badGateway, "the reply is longer than gateway.limits.replyBytes"))
        case .denied(let answer), .turnedAway(let answer):
            gateway.logLost(end)
            refuse(RequestRefusal(.serviceUnavailable, answer, ["Retry-After": "1"]))
        case .closed, .lost:
            gateway.logLost(end)
            refuse(RequestRefusal(.serviceUnavailable, "the daemon cannot be reached", ["Retry-After": "1"]))
        }
    }
}
