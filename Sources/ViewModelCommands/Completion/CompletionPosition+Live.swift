import ViewModelClient
import ViewModelContract

/// The names that the daemon knows.
extension CompletionPosition {
    /// Returns the candidates for the word.
    ///
    /// A session that is not alive is not created for them.
    func liveCandidates() async throws -> [CompletionCandidate] {
        guard let kind else { return [] }
        var options = ClientOptions()
        options.reconnects = false
        return try await withViewModelClient(socket: globals.socketPath, options: options) { client in
            if case .session(let prefix) = kind { return try await sessions(client, prefix: prefix) }
            if case .instance(exists: true) = kind {
                let closable = try await instances(client).filter { instance in
                    // The id of a child is no `InstanceID`.
                    InstanceID(instance.id) != nil && !InstanceID.builtIn.contains(instance.id)
                }
                return closable.map { CompletionCandidate(text: $0.id, description: $0.type) }
            }
            let contract = Contract(ofDaemon: try await client.call(RPCDiscover.self))
            let instances = try await instances(client)
            return CompletionNames(contract: contract, instances: instances).candidates(for: kind, word: word)
        }
    }

    private func sessions(_ client: ViewModelClient, prefix: String) async throws -> [CompletionCandidate] {
        try await client.call(SessionList.self, SessionList.Params()).sessions.map { session in
            CompletionCandidate(text: prefix + session.session, description: "\(session.attached) attached")
        }
    }

    private func instances(_ client: ViewModelClient) async throws -> [(id: String, type: String)] {
        if let name = globals.session {
            let sessions = try await client.call(SessionList.self, SessionList.Params()).sessions
            guard sessions.contains(where: { $0.session == name.text }) else { return [] }
            try await client.attach(name)
        }
        return try await client.call(ViewModelList.self).instances.map { ($0.id, $0.type) }
    }
}
