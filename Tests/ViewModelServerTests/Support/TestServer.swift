import Logging
import ServiceLifecycle
import TestSupport
import ViewModelHost
import ViewModelKit
import ViewModelServer

/// Runs a server in this process, and ends it in order after `body`.
///
/// - Parameters:
///   - catalog: the types to host.
///   - configuration: limits and access rules.
///   - logger: logs connections and refusals.
///   - state: the state directory; nil for one that exists only during the run.
///   - services: returns services that run beside the server.
///   - body: uses the socket at the path that it gets. The server listens. It must not block its thread.
/// - Throws: the error of the server or of `body`.
func withServer(
    _ catalog: ViewModelCatalog = ViewModelCatalog(),
    configuration: HostConfiguration = HostConfiguration(),
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    state: StateDirectory? = nil,
    beside services: (ViewModelServer) -> [any Service] = { _ in [] },
    _ body: (String) async throws -> Void
) async throws {
    let folder = try TemporaryDirectory()
    defer { withExtendedLifetime(folder) {} }
    let socket = "\(folder.path)/d.sock"
    let (phases, phase) = AsyncStream.makeStream(of: ServerPhase.self)
    let server = try ViewModelServer(
        catalog: catalog,
        configuration: configuration,
        sockets: ServerSockets(own: SocketOptions(path: socket)),
        state: try state ?? StateDirectory("\(folder.path)/state"),
        version: "1",
        logger: logger,
        phase: { phase.yield($0) }
    )
    let group = ServiceGroup(services: [server] + services(server), logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask {
            defer { phase.finish() }
            try await group.run()
        }
        let result: Result<Void, any Error>
        do {
            _ = await phases.first { $0 == .listening([socket]) }
            result = .success(try await body(socket))
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        try result.get()
    }
}
