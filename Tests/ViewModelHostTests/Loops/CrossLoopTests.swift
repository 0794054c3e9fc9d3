import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A client on another loop than its session's` {
    private let loops: TwoLoops
    private let local: TestClient
    private let remote: TestClient

    init() throws {
        loops = try TwoLoops()
        local = loops.local
        remote = loops.remote
    }

    @Test func `has the picture at the bind's step, and every frame after it`() throws {
        let bind = remote.begin("viewModel.bind", ["id": "board"])
        loops.home.run()
        try local.request("board.set", [7])
        loops.runUntilIdle()
        #expect(bind.result?["values"]?["value"] == 0)
        #expect(remote.frames.map(\.values) == [["value": 7, "double": 14, "isEven": false]])
        #expect(remote.faults == [])
    }

    @Test func `gets no frame after the reply to unbind`() throws {
        try loops.bind(remote)
        local.begin("board.set", [1])
        let unbind = remote.begin("viewModel.unbind", ["id": "board"])
        local.begin("board.set", [2])
        loops.runUntilIdle()
        local.begin("board.set", [3])
        loops.runUntilIdle()
        let received = remote.received
        let reply = try #require(received.firstIndex { $0 == .result(id: unbind.id, nil) })
        #expect(received[reply...].allSatisfy { $0.frame == nil })
        #expect(received[..<reply].compactMap(\.frame).count >= 1)
    }

    @Test func `gets no frame of a binding that another has replaced`() throws {
        try loops.bind(remote)
        let bind = remote.begin("viewModel.bind", ["id": "board", "outputs": ["isEven"]])
        local.begin("board.set", [1])
        loops.runUntilIdle()
        let received = remote.received
        let reply = try #require(
            received.firstIndex { message in
                if case .result(bind.id, _) = message { true } else { false }
            }
        )
        #expect(received[reply...].compactMap(\.frame).allSatisfy { $0.outputs == ["isEven"] })
    }

    @Test func `cancels an action that has not even begun over there`() throws {
        let call = remote.begin("board.work", [1])
        call.cancel()
        #expect(loops.daemon.work.calls.isEmpty)
        loops.runUntilIdle()
        #expect(call.error?.code == .cancelled)
        #expect(loops.daemon.work.calls.allSatisfy { $0.isCancelled })
    }

    @Test func `cancels what has ended in the meantime without effect`() throws {
        let call = remote.begin("board.put", [1])
        loops.home.run()
        call.cancel()
        loops.runUntilIdle()
        #expect(call.result == 1)
    }

    @Test func `leaves the session when it goes, and its action goes on`() throws {
        try loops.bind(remote)
        let call = remote.begin("board.work", [1])
        loops.runUntilIdle()
        let frames = remote.frames.count
        remote.close()
        loops.runUntilIdle()
        try local.request("board.set", [5])
        loops.runUntilIdle()
        #expect(remote.frames.count == frames)
        #expect(call.answer == nil)
        #expect(!loops.daemon.work.calls[0].isCancelled)
        let list = try local.request("session.list").decoded(as: SessionList.Result.self).sessions
        #expect(list.map(\.attached) == [1])
    }

    @Test(arguments: [("board.set", [9]), ("viewModel.bind", ["id": "board"])] as [(String, JSONValue)])
    func `has a call that meets the ended session cancelled`(method: String, params: JSONValue) throws {
        try loops.request(local, "board.set", [1])
        let instances = loops.daemon.harness.host.counters.instances
        #expect(instances.value > 0)
        loops.queueAtHome(#"{"jsonrpc":"2.0","id":"end","method":"session.close"}"#, from: local)
        // The work of the close is queued, and the call comes behind it.
        loops.home.runOnce()
        let call = remote.begin(method, params)
        loops.runUntilIdle()
        #expect(call.error?.code == .cancelled)
        #expect(instances.value == 0)
    }

    @Test func `has what it sends behind an attach done in the session that it goes to`() throws {
        let client = loops.connectAway()
        try loops.request(client, "board.set", [1])
        try local.request("board.set", [2])
        let attach = client.begin("session.attach", ["session": "desk"])
        let read = client.begin("viewModel.read", ["id": "board", "outputs": ["value"]])
        #expect(attach.answer == nil)
        #expect(read.answer == nil)
        loops.runUntilIdle()
        #expect(attach.result?["created"] == false)
        #expect(read.result?["values"] == ["value": 2])
    }

    @Test func `gets no frame of the session that it has left, not even one underway`() throws {
        try loops.bind(remote)
        _ = remote.takeReceived()
        // The frame sets out before the session hears that the client has gone.
        loops.queueAtHome(#"{"jsonrpc":"2.0","method":"board.set","params":[5]}"#, from: local)
        let attach = remote.begin("session.attach", ["session": "mine"])
        loops.runUntilIdle()
        #expect(attach.result != nil)
        let received = remote.takeReceived()
        #expect(received.allSatisfy { $0.isAnswer })
        #expect(try loops.value(local) == 5)
    }

    @Test func `that closes while it moves leaves nobody behind`() throws {
        let client = loops.connectAway()
        client.begin("session.attach", ["session": "desk"])
        client.close()
        loops.runUntilIdle()
        let list = try local.request("session.list").decoded(as: SessionList.Result.self).sessions
        #expect(list.map(\.attached) == [2])
    }

    @Test func `gets the sum of frames when more is on its way than it takes`() throws {
        try loops.bind(remote, ["value", "rows", "bell"])
        let text = String(repeating: "x", count: 10_000)
        for number in 1...20 {
            try local.request("board.ring", [.string("\(number) \(text)")])
            try local.request("board.set", [.integer(number)])
        }
        loops.runUntilIdle()
        #expect(remote.picture(of: "board")?["value"] == 20)
        let rings = remote.frames.flatMap(\.events).compactMap(\.value.stringValue)
        #expect(rings == (1...20).map { "\($0) \(text)" })
        #expect(remote.frames.count < 40)
        #expect(remote.frames.allSatisfy { $0.lost == 0 })
        try local.request("board.set", [21])
        loops.runUntilIdle()
        #expect(remote.picture(of: "board")?["value"] == 21)
    }
}
