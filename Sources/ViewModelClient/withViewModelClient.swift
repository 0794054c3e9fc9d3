import NIOPosix

/// Connects to the daemon, runs a closure, and closes the connection, also after an error.
///
/// - Parameters:
///   - socket: The path of the daemon's socket; see ``SocketPath``.
///   - options: The client's options. The client attaches to their session before the closure runs.
///   - body: The work. The client ends with it.
/// - Returns: The value that `body` returns.
/// - Throws: ``ClientError`` if the connection fails or the daemon refuses the session, and any error of `body`.
public func withViewModelClient<Result>(
    socket: String,
    options: ClientOptions = ClientOptions(),
    _ body: (ViewModelClient) async throws -> Result
) async throws -> Result {
    let client = ViewModelClient(
        socket: socket,
        options: options,
        eventLoop: MultiThreadedEventLoopGroup.singleton.next()
    )
    return try await withThrowingTaskGroup(of: Void.self) { group in
        do {
            try await client.start()
            group.addTask { await client.live() }
            let result = try await body(client)
            await client.close()
            group.cancelAll()
            return result
        } catch {
            await client.close()
            group.cancelAll()
            throw error
        }
    }
}
