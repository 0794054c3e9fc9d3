import Testing
import ViewModelHost
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

/// The calls of a client that `session.closed` has left without a session (protocol, section 4).
@Suite struct `A client whose session has ended` {
    private let daemon: Daemon
    private let client: TestClient
    private let closer: TestClient

    init() throws {
        daemon = try Daemon()
        client = try daemon.connect(to: "desk")
        closer = try daemon.connect(to: "other")
    }

    private func closeSession() throws {
        try closer.request("session.close", ["session": "desk"])
        #expect(client.received.last?.params(of: "session.closed") == ["session": "desk", "reason": "closed"])
        _ = client.takeReceived()
    }

    @Test(
        arguments: [
            ("board.set", [5]), ("board.work", [1]), ("board.set", ["value": 5, "_meta": ["key": "k"]]),
            ("page.title", ["x"]), ("nothing.at", nil), ("viewModel.open", ["type": "page"]),
            ("viewModel.close", ["id": "page"]), ("viewModel.list", nil), ("viewModel.read", ["id": "board"]),
            ("viewModel.bind", ["id": "board"]), ("viewModel.unbind", ["id": "board"]), ("session.close", nil),
        ] as [(String, JSONValue?)]
    )
    func `has each call of its instances refused`(method: String, params: JSONValue?) throws {
        try closeSession()
        let sessions = daemon.harness.host.counters.sessions.value
        for _ in 0..<2 {
            let error = try #require(client.begin(method, params).error)
            #expect(error.code == .sessionEnded)
            #expect(error.data == ["session": "desk", "reason": "closed"])
        }
        #expect(daemon.harness.host.counters.sessions.value == sessions)
    }

    @Test func `has its running actions cancelled, its notifications dropped and each entry of a batch refused`() throws
    {
        let running = client.begin("board.work", [1])
        try closeSession()
        #expect(running.error?.code == .cancelled)
        client.notify("board.set", [5])
        client.notify("board.work", [1])
        #expect(client.takeReceived().isEmpty)
        client.send(
            #"""
            [{"jsonrpc":"2.0","id":"a","method":"board.set","params":[1]},{"jsonrpc":"2.0","method":"board.set","params":[2]},\#
            {"jsonrpc":"2.0","id":"b","method":"session.attach","params":{"session":"desk"}},\#
            {"jsonrpc":"2.0","id":"c","method":"board.set","params":[3]}]
            """#
        )
        guard case .batch(let replies) = client.received.last else {
            Issue.record("\(client.received)")
            return
        }
        #expect(replies.count == 3)
        if case .error("a", let error) = replies[0] { #expect(error.code == .sessionEnded) } else { Issue.record() }
        if case .result("b", let reply) = replies[1] { #expect(reply["created"] == true) } else { Issue.record() }
        if case .result("c", _) = replies[2] {} else { Issue.record() }
        #expect(try client.read("board", outputs: ["value"])["value"] == 3)
        #expect(daemon.work.calls.count == 1)
    }

    @Test func `still lists, closes others by name, discovers and cancels`() throws {
        _ = try daemon.connect(to: "third")
        try closeSession()
        let sessions = try client.request("session.list").decoded(as: SessionList.Result.self).sessions
        #expect(sessions.map(\.session) == ["other", "third"])
        #expect(try client.request("session.close", ["session": "third"]) == .null)
        #expect(client.begin("session.close", ["session": "desk"]).error?.code == .notFound)
        #expect(try client.request("rpc.discover")["openrpc"] != nil)
        #expect(try client.request("$/cancelRequest", ["id": 1]) == .null)
        #expect(client.begin("rpc.list").error?.code == .methodNotFound)
        let misspelt = client.begin("session.atach").error
        #expect(misspelt?.data == ["instance": "session", "member": "atach", "suggestions": ["attach"]])
        #expect(client.begin("board.set", [1]).error?.code == .sessionEnded)
    }

    @Test func `stays without one after an attach that fails, and has one after the next that succeeds`() throws {
        try closeSession()
        #expect(client.begin("session.attach", ["session": "-"]).error?.code == .invalidParams)
        #expect(client.begin("board.set", [1]).error?.code == .sessionEnded)
        #expect(try client.request("session.attach", ["session": "other"])["created"] == false)
        try client.request("board.set", [7])
        #expect(try closer.read("board", outputs: ["value"])["value"] == 7)
    }

    @Test func `by a failure of its anonymous session has none either`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Spoiled.self)
        let harness = SessionHarness(catalog)
        let client = harness.connectAnonymously()
        let incident = try #require(client.begin("spoiled.up").error?.data?["incident"])
        let told: JSONValue = ["session": nil, "reason": "failed", "incident": incident]
        #expect(client.received.contains { $0.params(of: "session.closed") == told })
        let refused = try #require(client.begin("viewModel.list").error)
        #expect(refused.data == ["session": nil, "reason": "failed"])
        try client.request("session.attach")
        try client.request("viewModel.list")
    }

    @Test func `by itself has a new one at once, also when it closed it by name`() throws {
        for params in [nil, ["session": "desk"]] as [JSONValue?] {
            try client.request("session.attach", ["session": "desk"])
            try client.request("board.set", [5])
            try client.request("session.close", params)
            #expect(try client.read("board", outputs: ["value"])["value"] == 0)
        }
    }
}
