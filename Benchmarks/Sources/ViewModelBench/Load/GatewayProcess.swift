import Foundation

/// A running gateway before a server, for the connections of browsers.
struct GatewayProcess: MeasuredProcess {
    let identifier: Int32
    fileprivate let port: UInt16
    fileprivate let token: String

    /// Opens a WebSocket connection.
    func connect() throws -> LoadSocket {
        try LoadSocket(port: port, token: token)
    }
}

/// Starts a gateway before a server, runs a closure once it accepts connections, and stops the gateway.
func withGateway(_ program: String, before server: ServerProcess, _ body: (GatewayProcess) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/viewmodeld-bench-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let port = try LoadSocket.freePort()
    let configuration = "\(folder)/viewmodeld.yaml"
    try #"{"gateway": {"idleSeconds": 0, "limits": {"connections": 2000}}}"#
        .write(toFile: configuration, atomically: true, encoding: .utf8)
    let (identifier, _) = try spawn(
        program,
        [
            "--config", configuration, "--socket", server.socket, "--listen", "127.0.0.1:\(port)",
            "--runtime-directory", "\(folder)/run", "--log-level", "error", "--control",
        ]
    )
    defer {
        kill(identifier, SIGTERM)
        while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
    }
    let end = nanoseconds() + startLimit
    while nanoseconds() < end {
        if let token = try? String(contentsOfFile: "\(folder)/run/token", encoding: .utf8), token.hasSuffix("\n") {
            let gateway = GatewayProcess(identifier: identifier, port: port, token: String(token.dropLast()))
            if (try? gateway.connect()) != nil {
                // Let the gateway finish the work of its start.
                usleep(1_200_000)
                return try body(gateway)
            }
        }
        usleep(1000)
    }
    throw BenchFailure("the gateway does not accept connections")
}
