public import ViewModelProtocol

extension ViewModelClient {
    /// Binds an instance.
    ///
    /// The first element is the picture, and each later one is the picture after a frame.
    ///
    /// The binding begins with the first call of the iterator's `next()` and ends with the iterator. A client has one
    /// binding for each instance: a second one ends the first. To scroll a window, bind again. After a lost connection
    /// the client resumes the binding from the step of its picture. A slow reader gets up to
    /// ``ClientOptions/bufferedUpdates`` separate updates; later ones are merged.
    ///
    /// The sequence ends when the instance is closed or another binding replaces this one. It throws ``ClientError`` if
    /// the daemon refuses the binding, the session is closed, or the connection is lost for good.
    ///
    /// - Parameters:
    ///   - id: The instance's id.
    ///   - outputs: The outputs' names, or nil for all outputs.
    ///   - windows: The windows, by the names of their lists.
    ///   - minInterval: The minimum number of milliseconds between two updates.
    /// - Returns: The updates of the binding.
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
        if case .ended(let error) = state { throw error }
        if let former = tokens[params.id] { endBinding(former, nil) }
        let token = nextToken()
        bindings[token] = ClientBinding(params: params, buffer: UpdateBuffer(limit: options.bufferedUpdates))
        tokens[params.id] = token
        requestBinding(token)
        return token
    }

    /// Waits for the next update of a binding; returns nil at its end.
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

    /// Ends a binding whose iterator was destroyed.
    nonisolated func release(_ token: Int) {
        later { client in
            guard let binding = client.bindings.removeValue(forKey: token),
                client.tokens[binding.params.id] == token
            else { return }
            client.tokens[binding.params.id] = nil
            client.send(ViewModelUnbind.self, ViewModelUnbind.Params(id: binding.params.id), .ignored)
        }
    }

    /// Sends the request of a binding.
    ///
    /// Without a connection it has no effect; the next connection sends the request.
    func requestBinding(_ token: Int) {
        guard case .up = state, let binding = bindings[token] else { return }
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
            rebind(token)
        }
    }

    func followFrame(_ frame: ViewModelChanged.Params) {
        guard let token = tokens[frame.id] else { return }
        do {
            try bindings[token]?.follow(frame)
        } catch {
            rebind(token)
        }
    }

    /// Requests the whole picture after a patch that did not fit.
    private func rebind(_ token: Int) {
        bindings[token]?.picture = nil
        requestBinding(token)
    }

    /// Ends a binding.
    ///
    /// Its reader still gets the buffered updates.
    func endBinding(_ token: Int, _ error: (any Error)?) {
        guard let id = bindings[token]?.params.id else { return }
        bindings[token]?.end(error)
        if tokens[id] == token { tokens[id] = nil }
    }
}
