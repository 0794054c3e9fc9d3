import ViewModelClient
import ViewModelContract

/// The names that the daemon knows.
extension CompletionPosition {
    /// Returns what may complete the word.
    ///
    /// A session that is not alive is not created for it.
    func result() async throws -> CompletionResult {
        if case .known(let result) = source { return result }
        var options = ClientOptions()
        options.reconnects = false
        return try await withViewModelClient(socket: globals.socketPath, options: options) { client in
            switch source {
            case .known(let result): return result
            case .sessions(let prefix):
                let sessions = try await client.call(SessionList.self, SessionList.Params()).sessions
                return .words(
                    sessions.map { session in
                        let description = "\(session.attached) attached"
                        return CompletionCandidate(text: prefix + session.session, description: description)
                    }
                )
            case .names(let candidates):
                let contract = Contract(ofDaemon: try await client.call(RPCDiscover.self))
                return .words(candidates(CompletionNames(contract: contract, instances: try await instances(client))))
            }
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
