import Testing
import ViewModelHost
import ViewModelKit
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
        #expect(policy.grant(of: 5, groups: [], owner: 1) == .observe)
        #expect(policy.grant(of: 5, groups: [7, 50], owner: 1) == .act)
        #expect(policy.grant(of: 6, groups: [50, 60], owner: 1) == .admin)
        #expect(policy.grant(of: 6, groups: [51], owner: 1) == nil)
        #expect(policy.grant(of: 1, groups: [], owner: 1) == .admin)
        #expect(policy.grant(of: 0, groups: [], owner: 1) == .admin)
    }

    @Test func `a front has no other scope, and no user has the number of a person`() {
        let people = [ClosedRange.ofPeople.lowerBound, ClosedRange.ofPeople.upperBound]
        let policy = AccessPolicy(
            rules: [
                AccessRule(principal: .user(5), scope: .delegate), AccessRule(principal: .group(60), scope: .admin),
                AccessRule(principal: .user(1), scope: .delegate),
            ] + people.map { AccessRule(principal: .user($0), scope: .admin) }
        )
        #expect(policy.grant(of: 5, groups: [60], owner: 1) == .delegate)
        #expect(policy.grant(of: 1, groups: [], owner: 1) == .admin)
        for uid in people { #expect(policy.grant(of: uid, groups: [60], owner: 1) == nil) }
        #expect(policy.grant(of: people[0] - 1, groups: [60], owner: 1) == .admin)
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

    @Test(arguments: [AccessGrant.observe, .admin, nil])
    func `a connection of a person ends when its front is one no more`(grant: AccessGrant?) throws {
        let harness = daemon.harness
        harness.person = User.Identity(name: "Ada", subject: "i|ada")
        let client = harness.connectAnonymously()
        adopt(HostConfiguration().limits, .delegate, by: client)
        try client.request("board.set", [1])
        adopt(HostConfiguration().limits, grant, by: client)
        #expect(client.received.last.debugDescription.contains("-32005"))
        #expect(client.isFinished)
    }

    @Test func `a connection ends when its user becomes a front`() throws {
        let client = daemon.harness.connectAnonymously(uid: 2000)
        adopt(HostConfiguration().limits, .delegate, by: client)
        #expect(client.isFinished)
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

    private func adopt(_ limits: HostConfiguration.Limits, _ grant: AccessGrant?, by client: TestClient) {
        client.loop.run { client.peer.adopt(limits, grant) }
    }
}
