import NIOPosix

/// Connects to the daemon, works with it, and ends the connection whatever happens.
///
/// - Parameters:
///   - socket: The path of the daemon's socket; see ``SocketPath``.
///   - options: How the client behaves; it attaches to the session that they name before the body runs.
///   - body: The work; the client ends with it.
/// - Returns: What the body returns.
/// - Throws: ``ClientError`` where nobody listens or the session is refused, and what the body throws.
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
