public import ViewModelProtocol

extension ViewModelClient {
    /// Binds an instance.
    ///
    /// The first element is the picture, and each later one is the picture after a frame.
    ///
    /// The binding begins with the first call of an iterator's `next()` and ends with the last reference to it. Other
    /// bindings of the instance do not disturb it. ``ViewModelBinding/scroll(_:to:)`` moves a window. After a lost connection the client resumes the binding from the step of its picture. A slow reader gets
    /// up to 256 separate updates; later ones are merged.
    ///
    /// The sequence ends when the instance is closed. It throws ``ClientError`` if
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
    /// The call uses a binding of the client that has the outputs. Without one it binds for its own duration.
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
        try await binding(id, outputs).picture(timeout: timeout, "Waiting for \(id)", until: condition)
    }

    /// Begins a binding, unless it has begun.
    private func open(_ binding: ViewModelBinding) throws(ClientError) {
        guard bindings[binding.token] == nil else { return }
        if let ending { throw ending }
        bindings[binding.token] = ClientBinding(binding, isTagged: !liveBindings(of: binding.id).isEmpty)
        requestBinding(binding.token)
    }

    /// Returns a binding to an instance that has the outputs: one that lives and has no window, or a new one.
    func binding(_ id: String, _ outputs: [String]?) throws(ClientError) -> ViewModelBinding {
        for binding in liveBindings(of: id).compactMap({ bindings[$0] }) {
            let bound = binding.version.params
            let isEnough = bound.outputs.map { bound in outputs?.allSatisfy { bound.contains($0) } ?? false } ?? true
            if isEnough, bound.windows == nil, bound.minInterval == nil, let owner = binding.owner { return owner }
        }
        let binding = ViewModelBinding(client: self, params: ViewModelBind.Params(id: id, outputs: outputs))
        try open(binding)
        return binding
    }

    /// Returns the bindings that have not ended, of all instances or of one, the oldest first.
    func liveBindings(of id: String? = nil) -> [Int] {
        bindings.filter { !$0.value.isEnded && (id == nil || $0.value.id == id) }.keys.sorted()
    }

    /// Whether the daemon has an optional part of the protocol.
    private func has(_ feature: String) -> Bool { attachment?.features.contains(feature) == true }

    /// Returns the bindings that share a request with one, which is among them.
    ///
    /// Without tags a connection has one binding for each instance.
    private func sharers(of token: Int) -> [Int] {
        has("tags") ? [token] : liveBindings(of: bindings[token]?.id)
    }

    private func tag(of token: Int) -> BindingTag? {
        has("tags") && bindings[token]?.isTagged == true ? BindingTag("b\(token)") : nil
    }

    /// Returns the bindings that a frame is for.
    private func receivers(of frame: ViewModelChanged.Params) -> [Int] {
        if let tag = frame.tag { return Int(tag.dropFirst()).map { [$0] } ?? [] }
        return liveBindings(of: frame.id).filter { tag(of: $0) == nil }
    }

    /// Changes a window of a binding; returns the revision from which on its pictures have the new rows.
    func scroll(_ binding: ViewModelBinding, _ list: String, _ window: Window) throws(ClientError) -> Int {
        try open(binding)
        let token = binding.token
        guard let binding = bindings[token] else { throw .closed }
        if case .ended(let error) = binding.phase { throw error ?? .bindingEnded(binding.id) }
        bindings[token]?.change { $0.windows = ($0.windows ?? [:]).merging([list: window]) { $1 } }
        requestBinding(token)
        return bindings[token]?.version.revision ?? 0
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
        let (sharers, tag) = (sharers(of: token), tag(of: token))
        guard let binding = bindings.removeValue(forKey: token), !binding.isEnded else { return }
        let rest = sharers.filter { $0 != token }
        guard let other = rest.first else {
            return send(ViewModelUnbind.self, ViewModelUnbind.Params(id: binding.id, tag: tag), .ignored)
        }
        let others = rest.compactMap { bindings[$0] }
        if ClientBinding.union(others) != ClientBinding.union(others + [binding]) { requestBinding(other) }
    }

    /// Sends the request of a binding, and of those that share it.
    ///
    /// Without a connection it has no effect; the next connection sends the request.
    func requestBinding(_ token: Int, resuming: Bool = false) {
        guard channel != nil, !isBetweenSessions, bindings[token] != nil else { return }
        let sharers = sharers(of: token)
        let requests = requests(of: sharers, resuming: resuming)
        for sharer in sharers { bindings[sharer]?.markRequested() }
        for request in requests {
            var params = request.params
            (params.since, params.tag) = (request.since, tag(of: token))
            if !has("splices") {
                params.splices = nil
                for list in params.windows?.keys.map(\.self) ?? [] { params.windows?[list]?.anchor = nil }
            }
            send(ViewModelBind.self, params, .binding(request.versions, request.params))
        }
    }

    /// Sends the requests of all bindings, on a new connection.
    func resumeBindings() {
        var requested: Set<Int> = []
        for token in liveBindings() where requested.insert(token).inserted {
            requested.formUnion(sharers(of: token))
            requestBinding(token, resuming: true)
        }
    }

    private typealias Request = (params: ViewModelBind.Params, since: Since?, versions: [Int: ClientBinding.Version])

    /// Returns the requests that bind, in order.
    ///
    /// On a new connection the daemon resumes from the picture's step. A picture of former params is resumed with these
    /// first, because only a resumed binding has the events of the meantime.
    private func requests(of sharers: [Int], resuming: Bool) -> [Request] {
        let sharing = sharers.compactMap { token in bindings[token].map { (token, $0) } }
        guard let params = ClientBinding.union(sharing.map(\.1)) else { return [] }
        let new: Request = (params, nil, Dictionary(uniqueKeysWithValues: sharing.map { ($0, $1.version) }))
        guard resuming, let first = sharing.first(where: { $0.1.requested != nil })?.1, let former = first.requested,
            let since = first.picture?.since
        else { return [new] }
        let alike = sharing.filter { $0.1.requested == former && $0.1.picture?.since == since }
        let shown = alike.compactMap { token, binding in binding.shown.map { (token, $0) } }
        let resumed: Request = (former, since, Dictionary(uniqueKeysWithValues: shown))
        return former == params && alike.count == sharing.count ? [resumed] : [resumed, new]
    }

    func beginBinding(
        _ versions: [Int: ClientBinding.Version],
        _ bytes: [UInt8],
        _ params: ViewModelBind.Params
    ) {
        do throws(ClientError) {
            let result = try Self.decode(ViewModelBind.Result.self, bytes, of: ViewModelBind.name)
            for (token, version) in versions {
                do throws(JSONPatch.Failure) {
                    try bindings[token]?.begin(result, params, version)
                    restoreFields(of: token)
                } catch {
                    rebind(token)
                }
            }
        } catch {
            for token in versions.keys { endBinding(token, error) }
        }
    }

    /// Handles the refusal of a request.
    ///
    /// If only some of its bindings are new or changed, these are the cause.
    func refuseBinding(_ versions: [Int: ClientBinding.Version], _ error: ClientError) {
        let new = versions.filter { bindings[$0.key]?.shown != $0.value }
        let causes = new.isEmpty ? versions : new
        for token in causes.keys { endBinding(token, error) }
        if let rest = versions.keys.first(where: { causes[$0] == nil }) { requestBinding(rest) }
    }

    func followFrame(_ frame: ViewModelChanged.Params) {
        for token in receivers(of: frame) {
            do throws(JSONPatch.Failure) {
                guard let changed = try bindings[token]?.follow(frame) else { continue }
                for field in fields.values where field.binding.token == token && changed.contains(field.name) {
                    if let value = bindings[token]?.picture?[field.name] { field.apply { $0.outputChanged(value) } }
                }
            } catch {
                rebind(token)
            }
        }
    }

    /// Requests the whole picture after a patch that did not fit.
    private func rebind(_ token: Int) {
        for sharer in sharers(of: token) { bindings[sharer]?.discardPicture() }
        requestBinding(token)
    }

    /// Ends a binding.
    ///
    /// Its readers still get the buffered updates.
    func endBinding(_ token: Int, _ error: ClientError?) {
        bindings[token]?.end(error)
        endFields(of: token, error)
    }
}
