import NIOCore
import NIOPosix
import ViewModelProtocol

extension ViewModelClient {
    /// Opens the connection.
    func connect() async throws(ClientError) {
        generation += 1
        unattributedError = nil
        let current = generation
        let channel = try await open(current)
        if case .ended(let error) = state {
            channel.close(promise: nil)
            throw error
        }
        guard current == generation, channel.isActive, !isSuspended else {
            channel.close(promise: nil)
            throw unattributedError.map { .refused($0) } ?? .connectionLost(socket: socket)
        }
        state = .up(channel)
    }

    /// Opens a channel to the socket, and tries again while the daemon's backlog is full.
    private func open(_ generation: Int) async throws(ClientError) -> any Channel {
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(TimeAmount(options.connectTimeout))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LineHandler(client: self, generation: generation))
                }
            }
        let start = ContinuousClock.now
        while true {
            do {
                return try await bootstrap.connect(unixDomainSocketPath: socket).get()
            } catch {
                // With a full backlog `connect` on a Unix socket fails with EAGAIN at once, instead of waiting.
                guard ClientError.isQueueFull(error), ContinuousClock.now - start < options.connectTimeout,
                    (try? await Task.sleep(for: .milliseconds(10))) != nil
                else { throw ClientError(connecting: socket, error) }
            }
        }
    }

    /// Reconnects after each loss of the connection, until the task is cancelled.
    func reconnectUntilCancelled() async {
        for await _ in wakes {
            while case .down = state, !isSuspended, !Task.isCancelled {
                if let delay = backoff?.delay() {
                    guard (try? await Task.sleep(for: delay)) != nil else { return }
                } else {
                    backoff = options.backoff
                }
                guard case .down = state, !isSuspended, (try? await connect()) != nil else { continue }
                restoreState()
            }
        }
    }

    /// Restores the state of the client on a new connection: session, bindings and waiting requests.
    private func restoreState() {
        if let sessionParams {
            send(SessionAttach.self, sessionParams, .attach)
        }
        for token in tokens.values.sorted() { requestBinding(token) }
        for (_, waiting) in queue.sorted(by: { $0.key < $1.key }) { waiting.resume() }
        queue = [:]
    }

    /// Handles the end of a connection.
    ///
    /// `generation` identifies it.
    func disconnected(_ generation: Int) {
        guard generation == self.generation, case .up = state else {
            // The connection was lost before `connect` could use it. The new generation makes `connect` throw.
            if generation == self.generation { self.generation += 1 }
            return
        }
        let error = unattributedError.map { ClientError.refused($0) } ?? .connectionLost(socket: socket)
        // A connection that was denied once will be denied again.
        let isHopeless = unattributedError?.code == .accessDenied
        guard options.reconnects || isSuspended, !isHopeless else { return end(error) }
        state = .down
        fail(error)
        for token in tokens.values { bindings[token]?.phase = .requested }
        updateState()
    }

    /// Closes the connection until ``resume()``.
    ///
    /// Pictures are kept.
    ///
    /// Requests with an outstanding reply fail with ``ClientError/Code-swift.struct/connectionLost``. Later requests
    /// wait.
    public func suspend() async {
        isSuspended = true
        guard case .up(let channel) = state else { return }
        try? await channel.close()
    }

    /// Ends a suspension: connects, attaches to the session and resumes the bindings.
    public func resume() {
        isSuspended = false
        updateState()
    }

    /// Closes the client.
    ///
    /// Waiting calls fail with ``ClientError/Code-swift.struct/closed``.
    public func close() async {
        guard case .up(let channel) = state else { return end(.closed) }
        end(.closed)
        try? await channel.close()
    }

    /// Ends the client permanently.
    func end(_ error: ClientError) {
        if case .ended = state { return }
        if case .up(let channel) = state { channel.close(promise: nil) }
        state = .ended(error)
        fail(error)
        for waiting in queue.values { waiting.resume(throwing: error) }
        queue = [:]
        for token in bindings.keys { bindings[token]?.end(error) }
        tokens = [:]
    }

    /// Fails the calls with an outstanding reply.
    private func fail(_ error: ClientError) {
        var error = error
        if error.code == .connectionLost { error.remedy = "Whether the daemon did what was asked for is unknown" }
        for case .call(let continuation) in pending.removeAll() { continuation.resume(throwing: error) }
    }
}
