import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

/// Scopes: who may do what.
@Suite struct AccessTests {
    private let daemon: Daemon

    init() throws {
        daemon = try Daemon()
    }

    @Test(arguments: [
        ("session.attach", #"{"session":"theirs"}"#), ("session.list", "{}"), ("viewModel.list", "{}"),
        ("viewModel.read", #"{"id":"board"}"#), ("viewModel.bind", #"{"id":"board"}"#),
        ("viewModel.unbind", #"{"id":"board"}"#), ("rpc.discover", "{}"), ("session.restrict", #"{"scope":"act"}"#),
        ("$/cancelRequest", #"{"id":7}"#),
    ])
    func `who may observe may look`(method: String, params: String) throws {
        let observer = daemon.harness.connectAnonymously(uid: 2000, scope: .observe)
        try observer.request("viewModel.bind", ["id": "board"])
        try observer.request(method, JSONValue(text: params))
    }

    @Test(arguments: [
        ("board.set", "[1]"), ("board.nothing", "[]"), ("coordinator.back", "[]"),
        ("session.close", "{}"), ("viewModel.open", #"{"type":"board"}"#), ("viewModel.close", #"{"id":"board"}"#),
    ])
    func `who may observe may not change anything`(method: String, params: String) throws {
        let observer = daemon.harness.connectAnonymously(uid: 2000, scope: .observe)
        let before = try observer.request("viewModel.read", ["id": "board"])
        let error = #expect(throws: ProtocolError.self) {
            try observer.request(method, JSONValue(text: params))
        }
        #expect(error?.code == .accessDenied)
        #expect(error?.data?["reason"]?.description.contains(method) == true)
        observer.notify(method, JSONValue(text: params))
        #expect(try observer.request("viewModel.read", ["id": "board"]) == before)
    }

    @Test func `a connection that lowers its scope never gets a higher one back`() throws {
        let client = daemon.harness.connectAnonymously(uid: 1000, scope: .admin)
        #expect(try client.request("session.restrict", ["scope": "act"])["scope"] == "act")
        #expect(client.begin("session.list", ["all": true]).error?.code == .accessDenied)
        try client.request("board.set", [1])
        #expect(try client.request("session.restrict", ["scope": "observe"])["scope"] == "observe")
        for scope in ["act", "admin"] as [JSONValue] {
            #expect(try client.request("session.restrict", ["scope": scope])["scope"] == "observe")
        }
        try client.request("session.attach", ["session": "desk"])
        #expect(client.begin("board.set", [2]).error?.code == .accessDenied)
        #expect(client.begin("session.restrict", ["scope": "root"]).error?.code == .invalidParams)
    }

    @Test func `only an admin finds the sessions of others`() throws {
        _ = try daemon.connect(to: "desk")
        for (uid, scope) in [(2000, AccessScope.observe), (2001, .act)] as [(UInt32, AccessScope)] {
            let client = daemon.harness.connectAnonymously(uid: uid, scope: scope)
            #expect(try client.request("session.attach", ["session": "desk"])["created"] == true)
            client.close()
        }
        let client = daemon.harness.connectAnonymously(uid: 2001, scope: .act)
        for (method, params) in [
            ("session.attach", ["session": "desk", "uid": 1000]), ("session.close", ["session": "desk", "uid": 1000]),
            ("session.list", ["all": true]), ("session.attach", ["session": "desk", "uid": 2001]),
        ] as [(String, JSONValue)] {
            #expect(client.begin(method, params).error?.code == .accessDenied)
        }
        let admin = daemon.harness.connectAnonymously(uid: 3000, scope: .admin)
        #expect(try admin.request("session.attach", ["session": "desk", "uid": 1000])["created"] == false)
        let own = daemon.harness.connectAnonymously(uid: 3000, scope: .admin)
        #expect(try own.request("session.attach", ["session": "desk"])["created"] == true)
        #expect(own.begin("session.attach", ["session": "none", "uid": 1000]).error?.code == .notFound)
        let all = try own.request("session.list", ["all": true])["sessions"]?.arrayValue
        #expect(all?.contains { $0["session"] == "desk" && $0["uid"] == 1000 } == true)
        #expect(try own.request("session.list")["sessions"]?.arrayValue?.allSatisfy { $0["uid"] == nil } == true)
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

    @Test func `who loses access is told, and the connection ends`() throws {
        let client = daemon.harness.connectAnonymously(uid: 2000)
        try client.request("viewModel.bind", ["id": "board"])
        adopt(HostConfiguration().limits, nil, by: client)
        #expect(client.received.last.debugDescription.contains("-32005"))
        #expect(client.isFinished)
    }

    private func adopt(_ limits: HostConfiguration.Limits, _ scope: AccessScope?, by client: TestClient) {
        client.loop.run { client.peer.adopt(limits, scope) }
    }
}
