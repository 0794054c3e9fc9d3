import Glibc
import NIOCore
import NIOPosix
import UnixIO
import ViewModelProtocol

extension ViewModelClient {
    /// Connects, and attaches to the session in the options.
    func begin() async throws {
        sessionParams = options.session
        try await connect()
        restoreState()
        if sessionParams != nil { try await connected() }
    }

    /// Opens the connection.
    func connect() async throws(ClientError) {
        generation += 1
        (unattributedError, sessionEnd, silentTicks) = (nil, nil, 0)
        let current = generation
        let channel = try await open(current)
        if let ending {
            channel.close(promise: nil)
            throw ending
        }
        guard current == generation, channel.isActive, !isSuspended else {
            channel.close(promise: nil)
            throw unattributedError.map { .refused($0) } ?? .connectionLost(socket: socket)
        }
        self.channel = channel
        connectedAt = .now
        watch(channel, current)
    }

    /// Ends a connection on which nothing comes, not even the reply to a request for a sign of life.
    private func watch(_ channel: any Channel, _ generation: Int) {
        guard let silence = options.silence else { return }
        let half = TimeAmount(silence / 2)
        eventLoop.scheduleRepeatedTask(initialDelay: half, delay: half) { [weak self] task in
            guard let self, channel.isActive else { return task.cancel() }
            self.assumeIsolated { $0.checkSilence(channel, generation) }
        }
    }

    private func checkSilence(_ channel: any Channel, _ generation: Int) {
        guard generation == self.generation else { return }
        silentTicks = pending.isEmpty && liveBindings().isEmpty ? 0 : silentTicks + 1
        if silentTicks == 2 {
            let id = pending.nextID()
            let params = try? JSONWriter.text(of: CancelRequest.Params(id: .string("")))
            let line = OutgoingLine.message(id: id, method: CancelRequest.name, params: params)
            pending.add(id, .ignored, bytes: line.count)
            write(line)
        } else if silentTicks > 5 {
            channel.close(promise: nil)
        }
    }

    /// Handles bytes from the connection with a generation: it is not dead.
    func heard(_ generation: Int) {
        if generation == self.generation { silentTicks = 0 }
    }

    /// Opens a channel to the socket, and tries again while the daemon's backlog is full.
    private func open(_ generation: Int) async throws(ClientError) -> any Channel {
        let bootstrap = ClientBootstrap(group: eventLoop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        LineHandler { line in
                            self.assumeIsolated { $0.received(line, generation) }
                        } heard: {
                            self.assumeIsolated { $0.heard(generation) }
                        } ended: {
                            self.assumeIsolated { $0.disconnected(generation) }
                        }
                    )
                }
            }
        let start = ContinuousClock.now
        while true {
            do {
                return try await bootstrap.withConnectedSocket(LocalSocket.connect(to: socket)).get()
            } catch {
                // With a full backlog `connect` on a Unix socket fails with EAGAIN at once, instead of waiting.
                guard (error as? SystemError)?.code == EAGAIN, ContinuousClock.now - start < options.connectTimeout,
                    (try? await Task.sleep(for: .milliseconds(10))) != nil
                else { throw ClientError(connecting: socket, error) }
            }
        }
    }

    /// Whether the client should have a connection and has none.
    private var isWanted: Bool { channel == nil && ending == nil && !isSuspended }

    /// Reconnects after each loss of the connection, until the task is cancelled.
    func reconnectUntilCancelled() async {
        for await _ in wakes {
            while isWanted, !Task.isCancelled {
                if let delay = backoff?.delay() {
                    guard (try? await Task.sleep(for: delay)) != nil else { return }
                } else {
                    backoff = options.backoff
                }
                guard isWanted else { continue }
                do {
                    try await connect()
                    restoreState()
                } catch {
                    if isWanted { publish(.waiting(error)) }
                }
            }
        }
    }

    /// Restores the state of the client on a new connection.
    ///
    /// Instances, bindings and calls follow after the reply to `session.attach`, which shows whether the session is new.
    private func restoreState() {
        isAttaching = sessionParams != nil
        if let sessionParams {
            publish(.connecting)
            send(SessionAttach.self, sessionParams, .attach)
        } else {
            publish(.connected(nil))
            continueInSession(isNew: true)
        }
    }

    /// Restores the instances, bindings and waiting calls of the client in its session.
    ///
    /// A field continues after the reply to its binding.
    private func continueInSession(isNew: Bool) {
        isAttaching = false
        if isNew {
            for (_, params) in openedInstances.sorted(by: { $0.key < $1.key }) {
                send(ViewModelOpen.name, params, .ignored)
            }
        }
        resumeBindings()
        // The kept calls are sent again, or fail if they may have run and the daemon has forgotten their keys.
        let (lines, late) = pending.repeated(since: isNew ? nil : .now - Self.repeatable)
        for line in lines { write(line) }
        fail(late, .outcomeUnknown(.connectionLost(socket: socket)))
        for (_, waiting) in queue.sorted(by: { $0.key < $1.key }) { waiting.resume() }
        queue = [:]
    }

    /// Continues after the reply to the client's own `session.attach`.
    func attached(_ bytes: [UInt8]) {
        guard let params = sessionParams else { return }
        do {
            let former = attachment
            let result = try Self.decode(SessionAttach.Result.self, bytes, of: SessionAttach.name)
            guard adopt(result, bytes, params) else { return }
            continueInSession(isNew: former?.epoch != result.epoch || former?.session != result.session)
        } catch {
            end(error)
        }
    }

    /// The time for which a call with a retry key may be repeated: below the ten minutes for which the daemon
    /// remembers a key.
    private static let repeatable = Duration.seconds(9 * 60)

    /// Handles the end of a connection.
    ///
    /// `generation` identifies it.
    func disconnected(_ generation: Int) {
        guard generation == self.generation, channel != nil else {
            // The connection was lost before `connect` could use it. The new generation makes `connect` throw.
            if generation == self.generation { self.generation += 1 }
            return
        }
        let end = sessionEnd.flatMap { $0.has(reason: .stopping) ? nil : ClientError.sessionClosed($0) }
        loseConnection(unattributedError.map { .refused($0) } ?? end ?? .connectionLost(socket: socket))
    }

    /// Ends the connection after the end of the session.
    ///
    /// The next connection attaches to a new session of that name. The replies that are under way come first, because
    /// they say which calls did not run.
    func sessionClosed(_ end: SessionEnd) {
        guard sessionEnd == nil, let channel else { return }
        sessionEnd = end
        report(.sessionClosed(end))
        if end.has(reason: .moved) { return self.end(.sessionMoved(end)) }
        // A daemon that stops closes the connection after its last replies.
        if end.has(reason: .stopping) { return }
        guard options.reconnects, pending.hasCalls else { return leave(channel, generation) }
        // The daemon sends its last replies and closes the connection.
        channel.close(mode: .output, promise: nil)
        let generation = generation
        eventLoop.scheduleTask(in: .seconds(1)) { self.assumeIsolated { $0.leave(channel, generation) } }
    }

    /// Ends the connection of a session that has ended.
    private func leave(_ channel: any Channel, _ generation: Int) {
        guard generation == self.generation, let sessionEnd, self.channel != nil else { return }
        loseConnection(.sessionClosed(sessionEnd))
        // The client ignores further lines of this connection.
        self.generation += 1
        channel.close(promise: nil)
    }

    /// Continues without the connection, which was lost for the reason in `error`.
    private func loseConnection(_ error: ClientError) {
        // A connection that was denied once will be denied again.
        let isHopeless = error.reply?.code == .accessDenied
        guard options.reconnects || isSuspended, !isHopeless else { return end(error) }
        channel = nil
        if .now - connectedAt > options.backoff.maximum { backoff = nil }
        publish(isSuspended ? .suspended : .waiting(error))
        // Another session does not know the retry keys.
        let lost = pending.removeUnrepeated(keepsKeyed: attachment != nil)
        fail(lost, error.forOutstandingCalls)
        for token in bindings.keys { bindings[token]?.markRequested() }
        for field in fields.values { field.apply { $0.disconnected() } }
        updateState()
    }

    /// Closes the connection until ``resume()``.
    ///
    /// Pictures are kept.
    ///
    /// Calls with an outstanding reply are treated as after a lost connection. Later calls wait.
    public func suspend() async {
        isSuspended = true
        guard let channel else { return publish(.suspended) }
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
        guard let channel else { return end(.closed) }
        end(.closed)
        try? await channel.close()
    }

    /// Ends the client permanently.
    func end(_ error: ClientError) {
        if ending != nil { return }
        let former = channel
        channel = nil
        publish(.ended(error))
        // The channel calls `disconnected` at once, which has no effect on a client that has ended.
        former?.close(promise: nil)
        fail(pending.removeAll(), error.forOutstandingCalls)
        for waiting in queue.values { waiting.resume(throwing: error) }
        queue = [:]
        for token in bindings.keys { bindings[token]?.end(error) }
        endFields(error)
        for listener in board.values { listener.finish() }
        board = [:]
        wake.finish()
    }

    /// Fails calls.
    private func fail(_ waiters: [Waiter], _ error: ClientError) {
        for case .call(let answer, _) in waiters { answer(.failure(error)) }
    }
}
