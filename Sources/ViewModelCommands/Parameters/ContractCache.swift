import ViewModelClient

/// A cache of the contract, which the verbs of a script share.
actor ContractCache {
    private var contract: Contract?

    func value(_ client: ViewModelClient) async throws -> Contract {
        if let contract { return contract }
        let discovered = Contract(try await client.call(RPCDiscover.self))
        contract = discovered
        return discovered
    }
}
