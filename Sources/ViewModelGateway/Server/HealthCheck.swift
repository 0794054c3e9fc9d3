import NIOCore
import NIOHTTP1
import ViewModelProtocol

/// The replies to `/healthz`: whether the daemon answers.
///
/// Everybody can send this request, so all that arrive within a second share one connection to the daemon.
///
/// Isolation: confined to the gateway's event loop.
final class HealthCheck: DaemonLinkOwner {
    /// The time that the daemon has to answer.
    private static let limit = TimeAmount.seconds(5)
    /// The time for which an answer is valid.
    private static let validity = TimeAmount.seconds(1)

    private var link: DaemonLink?
    private var isTeam = false
    private var deadline: Scheduled<Void>?
    private var waiting: [HTTPConnection] = []
    private var answer: (failure: String?, end: NIODeadline)?

    /// Replies to a request once the daemon has answered.
    func check(for connection: HTTPConnection) {
        if let answer, answer.end > .now() { return reply(to: connection, answer.failure) }
        waiting.append(connection)
        guard link == nil else { return }
        let gateway = connection.gateway
        isTeam = gateway.team != nil
        link = DaemonLink.open(gateway, isTeam ? .probe : SetupRequests(scope: .observe), owner: self)
        deadline = gateway.eventLoop.assumeIsolated().scheduleTask(in: Self.limit) { [weak self] in
            self?.end("it accepts connections, but has been silent for 5 seconds")
        }
    }

    private func reply(to connection: HTTPConnection, _ failure: String?) {
        let text = failure.map { "The daemon does not answer: \($0)\n" } ?? "ok\n"
        connection.reply(
            failure == nil ? .ok : .serviceUnavailable,
            ["Content-Type": "text/plain; charset=utf-8"],
            ByteBuffer(string: text)
        )
    }

    private func end(_ failure: String?) {
        deadline?.cancel()
        link?.close()
        link = nil
        answer = (failure, .now() + Self.validity)
        let connections = waiting
        waiting = []
        for connection in connections { reply(to: connection, failure) }
    }

    // MARK: DaemonLinkOwner

    var acceptsBytes: Bool { true }

    func linkOpened(lastReply: ByteBuffer) {
        end(nil)
    }

    func linkEnded(_ end: DaemonLink.End) {
        // Without a request for a person the daemon answers with an error, which shows that it is there.
        switch end {
        case .denied(let reason): self.end(isTeam ? nil : reason)
        case .lost(let reason), .turnedAway(let reason): self.end(reason)
        default: self.end("it closed the connection")
        }
    }
}
