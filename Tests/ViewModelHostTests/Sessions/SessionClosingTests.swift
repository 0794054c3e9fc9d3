import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A saved session that is closed` {
    private static let attach = #"{"jsonrpc":"2.0","id":1,"method":"session.attach","params":{"session":"desk"}}"#

    private let loops: TwoLoops
    private let local: TestClient
    private let remote: TestClient

    /// Binds `watched`, so that the session has an instance and a value to save.
    init() throws {
        loops = try TwoLoops(savesSessions: true)
        local = loops.local
        remote = loops.remote
        try loops.request(local, "viewModel.bind", ["id": "watched"])
        save()
    }

    private func save() {
        loops.home.advance(by: .seconds(2))
        loops.runUntilIdle()
    }

    /// Attaches a new client to the session and returns whether it was restored.
    private func isRestored() throws -> JSONValue? {
        try loops.request(loops.connectAway(), "session.attach", ["session": "desk"])["restored"]
    }

    @Test func `is not saved again`() throws {
        try loops.request(local, "session.close")
        save()
        #expect(try isRestored() == false)
    }

    @Test func `is not saved again by a call that meets its end`() throws {
        loops.queueAtHome(#"{"jsonrpc":"2.0","id":"end","method":"session.close"}"#, from: local)
        // The work of the close is queued, and the call comes behind it.
        loops.home.runOnce()
        let call = remote.begin("viewModel.bind", ["id": "watched"])
        loops.runUntilIdle()
        save()
        #expect(call.error?.code == .cancelled)
        #expect(try isRestored() == false)
    }

    @Test func `while another connection loads it has ended and is erased at the reply`() throws {
        local.close()
        remote.close()
        loops.home.advance(by: .seconds(100))
        let loader = TestClient(host: loops.daemon.harness.host, loop: loops.home, uid: 1000)
        loops.queueAtHome(Self.attach, from: loader)
        // The message, then the reservation of the name.
        for _ in 0..<2 { loops.home.runOnce() }
        let client = loops.connectAway()
        let close = client.begin("session.close", ["session": "desk"])
        loops.runUntilIdle()
        #expect(close.result == .null)
        #expect(loader.received.contains { $0.params(of: "session.closed") != nil })
        #expect(try loops.request(client, "session.list") == ["sessions": []])
        #expect(try isRestored() == false)
    }

    @Test func `from another loop is erased before a client of its own loop attaches again`() throws {
        let close = remote.begin("session.close")
        let client = loops.daemon.harness.connectAnonymously()
        let attach = client.begin("session.attach", ["session": "desk"])
        loops.runUntilIdle()
        #expect(close.result == .null)
        #expect(attach.result?["created"] == true)
        #expect(attach.result?["restored"] == false)
    }

    @Test func `by two clients at once is closed for both`() throws {
        loops.queueAtHome(#"{"jsonrpc":"2.0","id":"end","method":"session.close"}"#, from: local)
        let second = remote.begin("session.close")
        loops.runUntilIdle()
        #expect(second.result == .null)
        #expect(local.received.last == .result(id: "end", .null))
        for client in [local, remote] {
            #expect(try loops.request(client, "viewModel.list")["instances"]?.arrayValue?.count == 3)
        }
        #expect(try isRestored() == false)
    }

    @Test func `and was neither living nor saved is not found, and its name is free`() throws {
        let client = loops.connectAway()
        let close = client.begin("session.close", ["session": "dusk"])
        loops.runUntilIdle()
        #expect(close.error?.code == .notFound)
        #expect(try loops.request(client, "session.attach", ["session": "dusk"])["created"] == true)
    }
}
