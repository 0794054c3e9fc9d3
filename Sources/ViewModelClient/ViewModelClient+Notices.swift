import ViewModelProtocol

extension ViewModelClient {
    /// Returns the notices of the client from now on: its connection, its session, its contract, closed instances.
    ///
    /// The first element is the present state of the connection. The sequence ends with the client. Each call makes a
    /// sequence of its own.
    public nonisolated func notices() -> AsyncStream<ClientNotice> {
        let (stream, listener) = AsyncStream<ClientNotice>.makeStream(bufferingPolicy: .bufferingNewest(1024))
        let id = ClientToken.next()
        listener.onTermination = { [weak self] _ in self?.later { $0.board[id] = nil } }
        later { client in
            listener.yield(.connection(client.connectionState))
            if client.ending != nil { return listener.finish() }
            client.board[id] = listener
        }
        return stream
    }

    /// Returns the states of the connection, beginning with the present one.
    ///
    /// The sequence ends with the client.
    public nonisolated func connectionStates() -> AsyncCompactMapSequence<AsyncStream<ClientNotice>, ConnectionState> {
        notices().compactMap { notice in
            if case .connection(let state) = notice { state } else { nil }
        }
    }

    /// Changes the state of the connection and reports it.
    func publish(_ state: ConnectionState) {
        guard state != connectionState, ending == nil else { return }
        connectionState = state
        report(.connection(state))
    }

    func report(_ notice: ClientNotice) {
        for listener in board.values { listener.yield(notice) }
    }

    /// Continues in the session to which a call has moved the connection.
    func moved(_ move: Move, _ bytes: [UInt8]) {
        guard let result = try? Self.decode(SessionAttach.Result.self, bytes, of: SessionAttach.name) else { return }
        openedInstances = [:]
        for token in move.bindings { endBinding(token, nil) }
        _ = adopt(result, bytes, move.params)
    }

    /// Adopts the reply to `session.attach`; returns false if the client requires another contract.
    func adopt(_ result: SessionAttach.Result, _ bytes: [UInt8], _ params: SessionAttach.Params) -> Bool {
        longestMessage = JSONValue(text: bytes)?["limits"]?["messageBytes"]?.intValue
        var params = params
        params.session = SessionName(result.session)
        sessionParams = params
        attachment = result
        if let expected = options.contract, expected != result.contract {
            report(.contractDiffers(expected: expected, found: result.contract))
            if options.requiresContract {
                end(.contractDiffers(expected: expected, found: result.contract))
                return false
            }
        }
        publish(.connected(result))
        return true
    }
}
