public import ViewModelProtocol

extension ViewModelClient {
    /// Binds an instance.
    ///
    /// The first element is the picture, and each later one is the picture after a frame.
    ///
    /// The binding begins with the first call of an iterator's `next()` and ends with the last reference to it. A client
    /// has one binding for each instance: a second one ends the first. ``ViewModelBinding/scroll(_:to:)`` moves a
    /// window. After a lost connection the client resumes the binding from the step of its picture. A slow reader gets
    /// up to 256 separate updates; later ones are merged.
    ///
    /// The sequence ends when the instance is closed or another binding replaces this one. It throws ``ClientError`` if
    /// the daemon refuses the binding, or when the client ends. In a new session the binding gets a full picture.
    ///
    /// - Parameters:
    ///   - id: The instance's id.
    ///   - outputs: The outputs' names, or nil for all outputs.
    ///   - windows: The windows, by the names of their lists.
    ///   - minInterval: The minimum number of milliseconds between two updates.
    /// - Returns: The binding, a sequence of updates.
    public nonisolated func bind(
        _ id: String,
        outputs: [String]? = nil,
        windows: [String: Window]? = nil,
        minInterval: Int? = nil
    ) -> ViewModelBinding {
        let params = ViewModelBind.Params(id: id, outputs: outputs, windows: windows, minInterval: minInterval)
        return ViewModelBinding(client: self, params: params)
    }

    /// Binds an instance; of its updates at most a number wait for the reader separately.
    package nonisolated func bind(_ params: ViewModelBind.Params, bufferedUpdates: Int) -> ViewModelBinding {
        ViewModelBinding(client: self, params: params, bufferedUpdates: bufferedUpdates)
    }

    /// Waits until the picture of an instance satisfies a condition.
    ///
    /// The call uses the client's binding to the instance, which it extends by the outputs if necessary. Without one it
    /// binds for its own duration.
    ///
    /// - Parameters:
    ///   - id: The instance's id.
    ///   - outputs: The outputs that the condition reads, or nil for all outputs.
    ///   - timeout: The time after which the call throws ``ClientError/Code-swift.struct/timedOut``, or nil for none.
    ///   - condition: The condition. It is called with the present picture first.
    /// - Returns: The picture that satisfies the condition.
    /// - Throws: ``ClientError``, `CancellationError`, and any error of `condition`.
    @discardableResult
    public func wait(
        for id: String,
        outputs: [String]? = nil,
        timeout: Duration? = nil,
        until condition: @escaping @Sendable (Picture) throws -> Bool
    ) async throws -> Picture {
        let (binding, revision) = try join(id, outputs)
        return try await binding.picture(from: revision, timeout: timeout, "Waiting for \(id)", until: condition)
    }

    /// Begins a binding, unless it has begun.
    private func open(_ binding: ViewModelBinding) throws(ClientError) {
        guard bindings[binding.token] == nil else { return }
        if let ending { throw ending }
        bindings[binding.token] = ClientBinding(binding)
        if let former = tokens[binding.id] {
            moveFields(from: former, to: binding)
            endBinding(former, nil)
        }
        tokens[binding.id] = binding.token
        requestBinding(binding.token)
    }

    /// Returns a binding to an instance that has the outputs: the present one, extended if necessary, or a new one.
    ///
    /// - Returns: The binding, and the revision from which on its pictures have the outputs.
    func join(
        _ id: String,
        _ outputs: [String]?
    ) throws(ClientError) -> (binding: ViewModelBinding, revision: Int) {
        if let ending { throw ending }
        guard let token = tokens[id], let present = bindings[token], let binding = present.owner, !present.isEnded
        else {
            let binding = ViewModelBinding(client: self, params: ViewModelBind.Params(id: id, outputs: outputs))
            try open(binding)
            return (binding, 0)
        }
        if let bound = present.params.outputs {
            let missing = outputs?.filter { !bound.contains($0) }
            if missing != [] {
                bindings[token]?.change { $0.outputs = missing.map { bound + $0 } }
                requestBinding(token)
            }
        }
        return (binding, bindings[token]?.revision ?? 0)
    }

    /// Changes a window of a binding; returns the revision from which on its pictures have the new rows.
    func scroll(_ binding: ViewModelBinding, _ list: String, _ window: Window) throws(ClientError) -> Int {
        try open(binding)
        let token = binding.token
        guard let binding = bindings[token] else { throw .closed }
        if case .ended(let error) = binding.phase { throw error ?? .bindingEnded(binding.params.id) }
        bindings[token]?.change { $0.windows = ($0.windows ?? [:]).merging([list: window]) { $1 } }
        requestBinding(token)
        return bindings[token]?.revision ?? 0
    }

    /// Waits for the next update of a reader; returns nil at the end of the binding.
    ///
    /// It begins the binding, unless it has begun. The new reader exists before the reply, so it misses no frame.
    func next(_ binding: ViewModelBinding, _ reader: Int) async throws -> BindingUpdate? {
        let token = binding.token
        while true {
            try Task.checkCancellation()
            try open(binding)
            if let update = bindings[token]?.next(reader) { return update }
            if case .ended(let error)? = bindings[token]?.phase {
                guard let error else { return nil }
                throw error
            }
            guard let updates = bindings[token]?.wait(reader) else { return nil }
            for await update in updates { return update }
        }
    }

    /// Removes a binding after the last reference to it.
    func release(_ token: Int) {
        guard let binding = bindings.removeValue(forKey: token), tokens[binding.params.id] == token else { return }
        tokens[binding.params.id] = nil
        send(ViewModelUnbind.self, ViewModelUnbind.Params(id: binding.params.id), .ignored)
    }

    /// Sends the request of a binding.
    ///
    /// Without a connection it has no effect; the next connection sends the request.
    func requestBinding(_ token: Int, resuming: Bool = false) {
        guard channel != nil, !isBetweenSessions, let binding = bindings[token] else { return }
        bindings[token]?.markRequested()
        for request in binding.requests(resuming: resuming) {
            var params = request.params
            params.since = request.since
            send(ViewModelBind.self, params, .binding(token, request.params, request.revision))
        }
    }

    func beginBinding(_ token: Int, _ result: [UInt8], _ params: ViewModelBind.Params, _ revision: Int) {
        guard bindings[token] != nil else { return }
        do {
            let result = try Self.decode(ViewModelBind.Result.self, result, of: ViewModelBind.name)
            try bindings[token]?.begin(result, params, revision)
            restoreFields(of: token)
        } catch let error as ClientError {
            endBinding(token, error)
        } catch {
            rebind(token)
        }
    }

    func followFrame(_ frame: ViewModelChanged.Params) {
        guard let token = tokens[frame.id] else { return }
        do {
            guard let changed = try bindings[token]?.follow(frame) else { return }
            for field in fields.values where field.binding.token == token && changed.contains(field.name) {
                if let value = bindings[token]?.picture?[field.name] { field.apply { $0.outputChanged(value) } }
            }
        } catch {
            rebind(token)
        }
    }

    /// Requests the whole picture after a patch that did not fit.
    private func rebind(_ token: Int) {
        bindings[token]?.discardPicture()
        requestBinding(token)
    }

    /// Ends a binding.
    ///
    /// Its readers still get the buffered updates.
    func endBinding(_ token: Int, _ error: ClientError?) {
        guard let id = bindings[token]?.params.id else { return }
        bindings[token]?.end(error)
        if tokens[id] == token { tokens[id] = nil }
        endFields(of: token, error)
    }
}
