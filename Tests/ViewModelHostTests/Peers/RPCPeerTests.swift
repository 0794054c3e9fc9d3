import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

/// Access rules, other limits and scopes for a connection that is underway, and its end.
@Suite struct RPCPeerTests {
    private let daemon: Daemon

    init() throws {
        daemon = try Daemon()
    }

    @Test func `the widest of the rules that fit holds`() {
        let policy = AccessPolicy(rules: [
            AccessRule(principal: .user(5), scope: .observe), AccessRule(principal: .group(50), scope: .act),
            AccessRule(principal: .group(60), scope: .admin),
        ])
        #expect(policy.scope(of: 5, groups: [], owner: 1) == .observe)
        #expect(policy.scope(of: 5, groups: [7, 50], owner: 1) == .act)
        #expect(policy.scope(of: 6, groups: [50, 60], owner: 1) == .admin)
        #expect(policy.scope(of: 6, groups: [51], owner: 1) == nil)
        #expect(policy.scope(of: 1, groups: [], owner: 1) == .admin)
        #expect(policy.scope(of: 0, groups: [], owner: 1) == .admin)
    }

    @Test func `other limits and another scope hold for a peer that is underway`() throws {
        let client = daemon.harness.connectAnonymously(uid: 2000)
        try client.request("board.set", [1])
        var limits = HostConfiguration().limits
        limits.batch = 1
        adopt(limits, .observe, by: client)
        #expect(throws: ProtocolError.self) { try client.request("board.set", [2]) }
        client.send(#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]"#)
        #expect(client.received.description.contains("-32006"))
        #expect(!client.isFinished)
    }

    @Test func `a query as a notification is not carried out`() throws {
        let client = daemon.harness.connectAnonymously(uid: 2000)
        client.notify("viewModel.read", ["id": "board"])
        client.notify("session.list", ["all": 1])
        #expect(try !"\(client.request("viewModel.list"))".contains("board"))
        try client.request("viewModel.read", ["id": "board"])
        #expect(try "\(client.request("viewModel.list"))".contains("board"))
    }

    @Test func `who loses access is told, and the connection ends`() throws {
        let client = daemon.harness.connectAnonymously(uid: 2000)
        try client.request("viewModel.bind", ["id": "board"])
        adopt(HostConfiguration().limits, nil, by: client)
        #expect(client.received.last.debugDescription.contains("-32005"))
        #expect(client.isFinished)
    }

    @Test func `a peer is released although its notification has joined a running action`() throws {
        let call: JSONValue = ["value": 1, "_meta": ["key": "once"]]
        weak var peer: RPCPeer?
        do {
            let visitor = try daemon.connect()
            peer = visitor.peer
            visitor.begin("board.parallel", call)
            visitor.notify("board.parallel", call)
            visitor.close()
        }
        daemon.work.complete(with: 1)
        daemon.harness.runUntilIdle()
        #expect(peer == nil)
    }

    private func adopt(_ limits: HostConfiguration.Limits, _ scope: AccessScope?, by client: TestClient) {
        client.loop.run { client.peer.adopt(limits, scope) }
    }
}
