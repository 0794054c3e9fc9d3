import ViewModelClient

/// Keeps the contract once it was asked for: a script's verbs share it.
actor ContractCache {
    private var contract: Contract?

    func value(_ client: ViewModelClient) async throws -> Contract {
        if let contract { return contract }
        let discovered = Contract(try await client.call(RPCDiscover.self))
        contract = discovered
        return discovered
    }
}
