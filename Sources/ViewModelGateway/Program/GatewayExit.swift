import ArgumentParser
import Systemd
import UnixIO
import ViewModelConfiguration
import ViewModelHost
import ViewModelServer

/// An error that prevents the start of the gateway.
///
/// The text names the cause and the remedy.
struct GatewayExit: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    /// Answers the clients that wait on passed sockets for a gateway that would fail again at its next start.
    ///
    /// The unit starts a gateway again only after the exit code 1. Only the gateway's own user and root see the reason.
    static func refuseClients(_ service: ServiceEnvironment, _ code: ExitCode, reason: String) {
        guard [64, 73, 78].contains(code.rawValue),
            let sockets = try? service.listeningSockets(allowsNetwork: true).map(\.descriptor)
        else { return }
        WaitingClients.refuse(on: sockets) { isTrusted in
            let end = isTrusted ? ": \(reason.shown)" : ". Its log has the reason"
            let text = "\(ViewModelGateway.name) cannot start\(end)\n"
            let head = [
                "HTTP/1.1 503 Service Unavailable", "Content-Type: text/plain; charset=utf-8",
                "Content-Length: \(text.utf8.count)", "Cache-Control: no-store", "Connection: close", "", "",
            ]
            return Array((head.joined(separator: "\r\n") + text).utf8)
        }
    }

    /// Returns the exit code for an error (sysexits.h): 78 for the configuration, 73 for sockets and files, else 1.
    static func code(for error: any Error) -> ExitCode {
        switch error {
        case is ConfigurationError: ExitCode(78)
        case is GatewayExit, is SocketError, is InheritedSocketError, is PrivateDirectory.Failure: ExitCode(73)
        default: ExitCode(1)
        }
    }
}
