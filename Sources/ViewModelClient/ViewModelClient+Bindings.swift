public import ViewModelProtocol

extension ViewModelClient {
    /// Binds an instance: the sequence's first element is the picture, each further one the picture after a frame.
    ///
    /// The binding begins with the first element that is asked for and ends with the iterator. A client has one binding
    /// for an instance: another one ends the first, and that is how a window is scrolled. After a lost connection the
    /// binding is resumed where its picture stands. A reader that lags gets up to ``ClientOptions/bufferedUpdates``
    /// updates one by one, the further ones merged.
    ///
    /// The sequence ends when the instance is closed, or another binding takes its place. It throws ``ClientError``
    /// when the daemon refuses the binding, the session is closed, or the connection is lost and not made again.
    ///
    /// - Parameters:
    ///   - id: The instance.
    ///   - outputs: The outputs' names; all when nil.
    ///   - windows: The parts of lists that are wanted, by the lists' names.
    ///   - minInterval: The least time between two updates, in milliseconds.
    public nonisolated func bind(
        _ id: String,
        outputs: [String]? = nil,
        windows: [String: Window]? = nil,
        minInterval: Int? = nil
    ) -> BindingUpdates {
        let params = ViewModelBind.Params(id: id, outputs: outputs, windows: windows, minInterval: minInterval)
        return BindingUpdates(client: self, params: params)
    }

    /// Begins a binding and returns its token.
    func open(_ params: ViewModelBind.Params) throws -> Int {
        if case .ended(let error) = link { throw error }
        if let former = tokens[params.id] { endBinding(former, nil) }
        let token = nextToken()
        bindings[token] = ClientBinding(params: params, buffer: UpdateBuffer(limit: options.bufferedUpdates))
        tokens[params.id] = token
        requestBinding(token)
        return token
    }

    /// Waits for the next update of a binding; nil at its end.
    func next(_ token: Int) async throws -> BindingUpdate? {
        guard let update = bindings[token]?.buffer.popFirst() else {
            if case .ended(let error) = bindings[token]?.phase {
                if let error { throw error }
                return nil
            }
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { reader in
                    if bindings[token] == nil {
                        reader.resume(returning: nil)
                    } else {
                        bindings[token]?.reader = reader
                    }
                }
            } onCancel: {
                later { $0.bindings[token]?.reader.take()?.resume(throwing: CancellationError()) }
            }
        }
        return update
    }

    /// Ends a binding because nobody reads it any more.
    nonisolated func release(_ token: Int) {
        later { client in
            guard let binding = client.bindings.removeValue(forKey: token),
                client.tokens[binding.params.id] == token
            else { return }
            client.tokens[binding.params.id] = nil
            client.send(ViewModelUnbind.self, ViewModelUnbind.Params(id: binding.params.id), .nobody)
        }
    }

    /// Asks the daemon for a binding; without a connection the next one does it.
    func requestBinding(_ token: Int) {
        guard case .up = link, let binding = bindings[token] else { return }
        bindings[token]?.phase = .requested
        send(ViewModelBind.self, binding.request, .binding(token))
    }

    func beginBinding(_ token: Int, _ result: [UInt8]) {
        guard bindings[token] != nil else { return }
        do {
            let result = try decode(ViewModelBind.Result.self, result, of: ViewModelBind.name)
            try bindings[token]?.begin(result)
        } catch let error as ClientError {
            endBinding(token, error)
        } catch {
            bindAnew(token)
        }
    }

    func followFrame(_ frame: ViewModelChanged.Params) {
        guard let token = tokens[frame.id] else { return }
        do {
            try bindings[token]?.follow(frame)
        } catch {
            bindAnew(token)
        }
    }

    /// Asks for the whole picture because a patch did not fit the one that is there.
    private func bindAnew(_ token: Int) {
        bindings[token]?.picture = nil
        requestBinding(token)
    }

    /// Ends a binding; its reader still gets what is buffered.
    func endBinding(_ token: Int, _ error: (any Error)?) {
        guard let id = bindings[token]?.params.id else { return }
        bindings[token]?.end(error)
        if tokens[id] == token { tokens[id] = nil }
    }
}
