import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A session` {
    private func value(_ client: TestClient) throws -> JSONValue? {
        try client.read("board", outputs: ["value"])["value"]
    }

    @Test func `of a connection that never attaches is its own`() throws {
        let daemon = try Daemon()
        let first = daemon.harness.connectAnonymously(), second = daemon.harness.connectAnonymously()
        try first.request("board.set", [1])
        #expect(try value(first) == 1)
        #expect(try value(second) == 0)
        #expect(try first.request("session.list") == ["sessions": []])
    }

    @Test func `is shared by all who attach to its name`() throws {
        let daemon = try Daemon()
        let first = try daemon.connect(to: "desk"), second = try daemon.connect(to: "desk")
        try first.request("board.set", [1])
        #expect(try value(second) == 1)
    }

    @Test func `tells who attaches whether it was made, and under which epoch its steps count`() throws {
        let daemon = try Daemon()
        let first = daemon.harness.connectAnonymously(), second = daemon.harness.connectAnonymously()
        let made = try first.request("session.attach", ["session": "desk", "linger": 60])
        let found = try second.request("session.attach", ["session": "desk"])
        #expect(made["created"] == true)
        #expect(found["created"] == false)
        #expect(made["restored"] == false)
        #expect(found["linger"] == 60)
        #expect(made["protocol"] == 1)
        #expect(made["epoch"]?.stringValue?.isEmpty == false)
        #expect(made["epoch"] == found["epoch"])
        #expect(made["features"] == [])
        #expect(made["limits"] == ["messageBytes": 1_048_576])
        #expect(try first.read("board").epoch == made["epoch"]?.stringValue)
    }

    @Test func `gets a name of its own where none is given`() throws {
        let daemon = try Daemon()
        let names = try (0..<2).map { _ in
            try daemon.harness.connectAnonymously().request("session.attach")["session"]
        }
        #expect(names[0] != nil)
        #expect(names[0] != names[1])
    }

    @Test func `lingers after its last client has gone, and then ends`() throws {
        let daemon = try Daemon()
        let client = try daemon.connect(to: "desk", linger: 10)
        try client.request("board.set", [1])
        client.close()
        daemon.harness.advance(by: .milliseconds(9_999))
        let second = try daemon.connect(to: "desk")
        #expect(try value(second) == 1)
        second.close()
        daemon.harness.advance(by: .milliseconds(9_999))
        let third = try daemon.connect(to: "desk")
        #expect(try value(third) == 1)
        third.close()
        daemon.harness.advance(by: .seconds(10))
        #expect(try value(try daemon.connect(to: "desk")) == 0)
    }

    @Test func `that lingers not at all ends with its last client`() throws {
        let daemon = try Daemon()
        let first = try daemon.connect(to: "desk", linger: 0), second = try daemon.connect(to: "desk")
        try first.request("board.set", [1])
        first.close()
        #expect(try value(second) == 1)
        second.close()
        #expect(try value(try daemon.connect(to: "desk")) == 0)
    }

    @Test func `that ends while a client on another loop attaches to it is created anew`() throws {
        let loops = try TwoLoops()
        let first = try loops.daemon.connect(to: "brief", linger: 0)
        try first.request("board.set", [1])
        let last = loops.connectAway(), next = loops.connectAway()
        try loops.request(last, "session.attach", ["session": "brief"])
        first.close()
        last.close()
        let attaching = next.begin("session.attach", ["session": "brief"])
        loops.runUntilIdle()
        #expect(try attaching.answer?.get()["created"] == true)
        #expect(try loops.value(next) == 0)
    }

    @Test func `keeps the linger that was given last, cut to what is allowed`() throws {
        let daemon = try Daemon {
            $0.lingerSeconds = 20
            $0.maximumLingerSeconds = 50
        }
        let lingers: [JSONValue?] = [nil, 90, nil, 5]
        let client = daemon.harness.connectAnonymously()
        let granted = try lingers.map { linger in
            var params: JSONObject = ["session": "desk"]
            params["linger"] = linger
            return try client.request("session.attach", .object(params))["linger"]
        }
        #expect(granted == [20, 50, 50, 5])
    }

    @Test func `attached to again by its only client goes on`() throws {
        let daemon = try Daemon()
        let client = try daemon.connect(to: "desk", linger: 0)
        try client.request("board.set", [1])
        try client.request("session.attach", ["session": "desk"])
        #expect(try value(client) == 1)
    }

    @Test func `is listed with its clients and instances, others of the user too`() throws {
        let daemon = try Daemon()
        let desk = try daemon.connect(to: "desk"), phone = try daemon.connect(to: "desk")
        try desk.request("page.title", ["x"])
        let gone = try daemon.connect(to: "gone", linger: 30)
        gone.close()
        let list = try phone.request("session.list").decoded(as: SessionList.Result.self).sessions
        #expect(list.map(\.session) == ["desk", "gone"])
        #expect(list.map(\.attached) == [2, 0])
        // The three built-in instances, the page and its two parts.
        #expect(list.map(\.instances) == [6, 3])
        #expect(list[0].expires == nil)
        #expect(list[1].expires != nil)
    }

    @Test func `that is closed leaves its other clients without a session, and its closer with a new one`() throws {
        let daemon = try Daemon()
        let first = try daemon.connect(to: "desk"), second = try daemon.connect(to: "desk")
        try second.bind("board")
        try first.request("board.set", [1])
        _ = first.takeReceived()
        _ = second.takeReceived()
        try first.request("session.close")
        #expect(
            second.takeReceived() == [
                .notification(method: "session.closed", params: ["session": "desk", "reason": "closed"])
            ]
        )
        #expect(first.takeReceived().count == 1)
        #expect(try value(first) == 0)
        #expect(second.begin("board.set", [5]).error?.code == .sessionEnded)
        #expect(second.frames.count == 1)
    }

    @Test func `that is not one's own can be closed by its name`() throws {
        let daemon = try Daemon()
        let desk = try daemon.connect(to: "desk"), other = try daemon.connect(to: "other")
        try other.request("session.close", ["session": "desk"])
        #expect(desk.received.contains { $0.params(of: "session.closed") != nil })
        let missing = other.begin("session.close", ["session": "desk"]).error
        #expect(missing?.code == .notFound)
        #expect(missing?.data?["session"] == "desk")
    }

    @Test func `does not exist for another user`() throws {
        let daemon = try Daemon()
        let mine = try daemon.connect(to: "desk")
        try mine.request("board.set", [1])
        let other = daemon.harness.connectAnonymously(uid: 2000)
        #expect(other.begin("session.close", ["session": "desk"]).error?.code == .notFound)
        #expect(try other.request("session.list") == ["sessions": []])
        #expect(try other.request("session.attach", ["session": "desk"])["created"] == true)
        #expect(try value(other) == 0)
    }

    @Test func `is one of as many as a user may have`() throws {
        let daemon = try Daemon { $0.limits.sessionsPerUser = 2 }
        let clients = try ["a", "b"].map { try daemon.connect(to: $0, linger: 0) }
        let third = daemon.harness.connectAnonymously()
        let refusal = third.begin("session.attach", ["session": "c"]).error
        #expect(refusal?.code == .limitExceeded)
        #expect(refusal?.data == ["limit": "limits.sessionsPerUser", "value": 2])
        try third.request("session.attach", ["session": "a"])
        clients[1].close()
        try third.request("session.attach", ["session": "c"])
    }

    @Test func `cancels its actions when it ends`() throws {
        let daemon = try Daemon()
        let client = try daemon.connect(to: "desk")
        let call = client.begin("board.work", [1])
        try daemon.connect(to: "other").request("session.close", ["session": "desk"])
        #expect(call.error?.code == .cancelled)
        #expect(daemon.work.calls[0].isCancelled)
    }

    @Test func `lets an action go on when the connection that called it goes`() throws {
        let daemon = try Daemon()
        let first = try daemon.connect(to: "desk"), second = try daemon.connect(to: "desk")
        first.begin("board.work", [1])
        first.close()
        #expect(!daemon.work.calls[0].isCancelled)
        daemon.work.complete(with: 7)
        #expect(try value(second) == 7)
    }

    @Test func `that is anonymous ends when its connection attaches elsewhere, with its actions`() throws {
        let daemon = try Daemon()
        let client = daemon.harness.connectAnonymously()
        let call = client.begin("board.work", [1])
        try client.request("session.attach", ["session": "desk"])
        #expect(call.error?.code == .cancelled)
        #expect(try value(client) == 0)
    }

    @Test func `leaves nothing behind`() throws {
        let daemon = try Daemon()
        let counters = daemon.harness.host.counters
        weak var board: Board?
        for _ in 0..<20 {
            let client = daemon.harness.connectAnonymously()
            board = try client.viewModel("board")
            try client.bind("board")
            client.begin("board.work", [1])
            client.close()
        }
        #expect(board == nil)
        #expect(counters.sessions.value == 0)
        #expect(counters.instances.value == 0)
    }

    @Test func `tells its client when the daemon stops`() async throws {
        let daemon = try Daemon()
        let client = try daemon.connect(to: "desk"), other = daemon.harness.connectAnonymously()
        daemon.harness.host.beginStopping()
        #expect(client.begin("board.set", [1]).error?.code == .shuttingDown)
        #expect(other.begin("session.attach").error?.code == .shuttingDown)
        let host = daemon.harness.host
        let call = client.begin("$/cancelRequest", ["id": 1])
        #expect(call.result == .null)
        let ending = Task { await host.endSessions() }
        try await daemon.harness.wait { client.received.last?.params(of: "session.closed") != nil }
        #expect(client.received.last?.params(of: "session.closed") == ["session": "desk", "reason": "stopping"])
        ending.cancel()
    }
}
