import NIOCore
import NIOPosix
import ViewModelProtocol

extension ViewModelClient {
    /// Makes the connection.
    func connect() async throws(ClientError) {
        generation += 1
        complaint = nil
        let current = generation
        let channel = try await open(current)
        if case .ended(let error) = link {
            channel.close(promise: nil)
            throw error
        }
        guard current == generation, channel.isActive, !isSuspended else {
            channel.close(promise: nil)
            throw complaint.map { .refused($0) } ?? .connectionLost(socket: socket)
        }
        link = .up(channel)
    }

    /// Opens a channel to the socket; waits while the daemon has its hands full with others that come.
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
                // A listener whose queue is full answers EAGAIN at once, and connects nobody later on.
                guard ClientError.isQueueFull(error), ContinuousClock.now - start < options.connectTimeout,
                    (try? await Task.sleep(for: .milliseconds(10))) != nil
                else { throw ClientError(connecting: socket, error) }
            }
        }
    }

    /// Keeps the connection until the task is cancelled.
    func live() async {
        var generator = SystemRandomNumberGenerator()
        for await _ in wakes {
            while case .down = link, !isSuspended, !Task.isCancelled {
                if failures > 0 {
                    let delay = options.backoff.delay(before: failures - 1, using: &generator)
                    guard (try? await Task.sleep(for: delay)) != nil else { return }
                }
                failures += 1
                guard case .down = link, !isSuspended, (try? await connect()) != nil else { continue }
                takeUp()
            }
        }
    }

    /// Goes on with everything that was going on before the connection was lost.
    private func takeUp() {
        if let attachment {
            send(SessionAttach.self, attachment, .attach)
        }
        for token in tokens.values.sorted() { requestBinding(token) }
        for (_, waiting) in queue.sorted(by: { $0.key < $1.key }) { waiting.resume() }
        queue = [:]
    }

    /// Takes note that the connection of a generation is gone.
    func disconnected(_ generation: Int) {
        guard generation == self.generation, case .up = link else {
            // It went before `connect` could take it up: the next look at the generation tells it.
            if generation == self.generation { self.generation += 1 }
            return
        }
        let error = complaint.map { ClientError.refused($0) } ?? .connectionLost(socket: socket)
        // Who may not connect now may not later.
        let isHopeless = complaint?.code == .accessDenied
        guard options.reconnects || isSuspended, !isHopeless else { return end(error) }
        link = .down
        fail(error)
        for token in tokens.values { bindings[token]?.phase = .requested }
        updateState()
    }

    /// Closes the connection and stays away until ``resume()``; pictures are kept.
    ///
    /// Requests whose reply is outstanding fail with ``ClientError/Code-swift.struct/connectionLost``, later ones wait.
    public func suspend() async {
        isSuspended = true
        guard case .up(let channel) = link else { return }
        try? await channel.close()
    }

    /// Comes back after ``suspend()``: connects, attaches to the session and resumes the bindings.
    public func resume() {
        isSuspended = false
        updateState()
    }

    /// Ends the client: the connection is closed, whoever waits gets ``ClientError/Code-swift.struct/closed``.
    public func close() async {
        guard case .up(let channel) = link else { return end(.closed) }
        end(.closed)
        try? await channel.close()
    }

    /// Ends the client for good.
    func end(_ error: ClientError) {
        if case .ended = link { return }
        if case .up(let channel) = link { channel.close(promise: nil) }
        link = .ended(error)
        fail(error)
        for waiting in queue.values { waiting.resume(throwing: error) }
        queue = [:]
        for token in bindings.keys { bindings[token]?.end(error) }
        tokens = [:]
    }

    /// Tells those whose reply is outstanding that it will not come.
    private func fail(_ error: ClientError) {
        var error = error
        if error.code == .connectionLost { error.remedy = "Whether the daemon did what was asked for is unknown" }
        for case .call(let continuation) in pending.takeAll() { continuation.resume(throwing: error) }
    }
}
