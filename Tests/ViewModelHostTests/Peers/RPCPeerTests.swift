import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A peer` {
    private let daemon: Daemon
    private let client: TestClient

    init() throws {
        daemon = try Daemon {
            $0.limits.inFlight = 3
            $0.limits.batch = 4
        }
        client = try daemon.connect()
        _ = client.takeReceived()
    }

    private func answers(to message: String) -> [ReceivedMessage] {
        client.send(message)
        return client.takeReceived()
    }

    @Test(
        arguments: [
            ("nonsense", nil, -32700), (#"{"jsonrpc":"2.0","id":1,"#, nil, -32700), ("{} {}", nil, -32700),
            ("[]", nil, -32600), ("1", nil, -32600), (#"{"jsonrpc":"2.0","method":1}"#, nil, -32600),
            (#"{"jsonrpc":"1.0","id":4,"method":"rpc.discover"}"#, 4, -32600),
            (#"{"jsonrpc":"2.0","id":4,"method":"rpc.discover","params":null}"#, 4, -32600),
            (#"{"jsonrpc":"2.0","id":{},"method":"rpc.discover"}"#, nil, -32600),
            (#"{"jsonrpc":"2.0","id":4,"method":"rpc.nothing"}"#, 4, -32601),
            (#"{"jsonrpc":"2.0","id":4,"method":"session.lst"}"#, 4, -32601),
            (#"{"jsonrpc":"2.0","id":4,"method":"nodot"}"#, 4, -32601),
            (#"{"jsonrpc":"2.0","id":4,"method":"session.list","params":[1]}"#, 4, -32602),
            (#"{"jsonrpc":"2.0","id":4,"method":"session.list","params":{"x":1}}"#, 4, -32602),
        ] as [(String, JSONValue, Int)]
    )
    func `answers what is wrong with an error`(message: String, id: JSONValue, code: Int) throws {
        let received = answers(to: message)
        guard case .error(let answered, let error) = received.first, received.count == 1 else {
            Issue.record("\(received)")
            return
        }
        #expect(answered == id)
        #expect(error.code.rawValue == code)
    }

    @Test func `never answers a notification, not even a wrong one`() {
        #expect(answers(to: #"{"jsonrpc":"2.0","method":"nothing.there"}"#) == [])
        #expect(answers(to: #"{"jsonrpc":"2.0","method":"board.set","params":["x"]}"#) == [])
        #expect(answers(to: #"{"jsonrpc":"2.0","method":"board.fail"}"#) == [])
        #expect(answers(to: #"{"jsonrpc":"2.0","id":1,"result":null}"#) == [])
    }

    @Test func `repeats an id as it was written`() {
        for id in ["1.0", "12345678901234567890", "-0", "1e3", #""a\u00e9""#, "null"] {
            client.send(#"{"jsonrpc":"2.0","id":\#(id),"method":"session.list"}"#)
        }
        let ids = client.takeReceived().map { message in
            if case .result(let id, _) = message { id.description } else { "" }
        }
        #expect(ids == ["1.0", "12345678901234567890", "-0", "1e3", "\"aé\"", "null"])
    }

    @Test func `refuses an id that is still in use, under no id`() {
        let first = client.begin("board.work", [1])
        let text = #"{"jsonrpc":"2.0","id":\#(first.id),"method":"session.list"}"#
        guard case .error(.null, let error) = answers(to: text).last else {
            Issue.record("no refusal")
            return
        }
        #expect(error.code == .invalidRequest)
        #expect(error.data?["reason"] == "duplicateId")
        #expect(error.data?["id"] == first.id)
        #expect(error.data?["hint"]?.stringValue?.contains("no reply yet") == true)
        daemon.work.complete(with: 5)
        #expect(first.result == 5)
        #expect(answers(to: text).count == 2)
    }

    @Test func `takes as many unanswered requests as are allowed`() {
        let calls = (0..<4).map { client.begin("board.parallel", [.integer($0)]) }
        #expect(calls[3].error?.data == ["limit": "limits.inFlight", "value": 3])
        client.notify("board.set", [9])
        calls[0].cancel()
        #expect(calls[0].error?.code == .cancelled)
        #expect(client.begin("board.parallel", [5]).answer == nil)
    }

    @Test func `answers a batch in one array in its order, when all is done`() throws {
        client.send(
            """
            [{"jsonrpc":"2.0","id":1,"method":"board.work","params":[1]},\
            {"jsonrpc":"2.0","method":"board.set","params":[5]},7,\
            {"jsonrpc":"2.0","id":2,"method":"viewModel.read","params":{"id":"board","outputs":["value"]}}]
            """
        )
        #expect(client.takeReceived() == [])
        daemon.work.complete(with: 8)
        guard case .batch(let entries) = client.takeReceived().last, entries.count == 3 else {
            Issue.record("\(client.received)")
            return
        }
        #expect(entries[0] == .result(id: 1, 8))
        if case .error(.null, let error) = entries[1] { #expect(error.code == .invalidRequest) }
        if case .result(2, let read) = entries[2] { #expect(read["values"] == ["value": 5]) }
    }

    @Test func `answers nothing to a batch of notifications, and refuses one that is too long`() {
        let note = #"{"jsonrpc":"2.0","method":"board.idle"}"#
        #expect(answers(to: "[\(note),\(note)]") == [])
        guard case .error(.null, let error) = answers(to: "[\(note),\(note),\(note),\(note),\(note)]").first else {
            Issue.record("no refusal")
            return
        }
        #expect(error.data == ["limit": "limits.batch", "value": 4])
    }

    @Test func `is released although its notification has joined a running action`() throws {
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

    @Test func `cancels by id, and ignores what it does not know`() {
        let call = client.begin("board.work", [1])
        client.notify("$/cancelRequest", ["id": 99])
        client.notify("$/cancelRequest", ["id": [1]])
        #expect(call.answer == nil)
        let asked = client.begin("$/cancelRequest", ["id": call.id])
        #expect(asked.result == .null)
        #expect(call.error?.code == .cancelled)
    }

    @Test(
        arguments: [
            (["deadline": -1], "/_meta/deadline"), (["deadline": nil], "/_meta/deadline"), (["key": 1], "/_meta/key"),
            (["x": 1], "/_meta/x"), ([1], "/_meta"),
        ] as [(JSONValue, String)]
    )
    func `checks what is said about a call`(meta: JSONValue, path: String) {
        for method in ["board.put", "board.set", "viewModel.list"] {
            var params: JSONObject = ["_meta": meta]
            if method.hasPrefix("board") { params["value"] = 1 }
            let error = client.begin(method, .object(params)).error
            #expect(error?.code == .invalidParams)
            #expect(error?.data?["path"] == .string(path))
        }
    }

    @Test func `takes params in the forms that their type has`() throws {
        for params in [[3], ["value": 3], ["value": 3, "_meta": [:]], [3.0]] as [JSONValue] {
            #expect(try client.request("board.put", params) == 3)
        }
        for params in [nil, [], [:], ["_meta": [:]]] as [JSONValue?] { try client.request("board.idle", params) }
        let wrong: [(String, JSONValue?, String)] = [
            ("board.put", [1, 2], "/1"), ("board.put", nil, "/value"), ("board.put", ["vlaue": 1], "/vlaue"),
            ("board.put", ["x"], "/0"), ("board.idle", [1], "/0"), ("board.idle", ["value": 1], "/value"),
            ("board.edit", ["kind": "insert", "index": 0], "/number"),
            ("board.edit", ["kind": "explode", "index": 0, "number": 0], "/kind"),
            ("board.put", [.number("1e30")], "/0"), ("board.put", [.number("1.5")], "/0"),
        ]
        for (method, params, path) in wrong {
            let error = client.begin(method, params).error
            #expect(error?.code == .invalidParams)
            #expect(error?.data?["path"] == .string(path), "\(method) \(params ?? .null)")
        }
    }

    @Test func `that is half closed gets what it is owed before it ends`() {
        let call = client.begin("board.work", [1])
        client.endInput()
        #expect(!client.isFinished)
        daemon.work.complete(with: 2)
        #expect(call.result == 2)
        #expect(client.isFinished)
    }

    @Test func `that owes nothing ends at once when it is half closed`() {
        client.endInput()
        #expect(client.isFinished)
    }
}
