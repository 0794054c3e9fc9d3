import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `An instance` {
    private func ids(_ client: TestClient) throws -> [String] {
        try client.request("viewModel.list").decoded(as: ViewModelList.Result.self).instances.map(\.id)
    }

    private let builtIn = ["coordinator", "prompter", "daemon"]

    @Test(arguments: ["board.set", "viewModel.bind", "viewModel.read"])
    func `that is a type's default comes into being when it is first named`(method: String) throws {
        let client = try Daemon().connect()
        #expect(try ids(client) == builtIn)
        try client.request(method, method == "board.set" ? [1] : ["id": "board"])
        #expect(try ids(client) == builtIn + ["board"])
        try client.request(method, method == "board.set" ? [1] : ["id": "board"])
        #expect(try ids(client) == builtIn + ["board"])
    }

    @Test func `counts as a change of the step that made it`() throws {
        let client = try Daemon().connect()
        #expect(try client.read("coordinator").seq == 3)
        #expect(try client.read("echo").seq == 4)
        #expect(try client.request("board.idle") == ["seq": 5])
        #expect(try client.request("board.idle") == ["seq": 5])
    }

    @Test func `is opened under an id, or a fresh one`() throws {
        let client = try Daemon().connect()
        let open: (JSONValue) throws -> JSONValue = { try client.request("viewModel.open", $0) }
        #expect(try open(["type": "board", "id": "b"]) == ["id": "b", "type": "board", "created": true])
        #expect(try open(["type": "board", "id": "b"]) == ["id": "b", "type": "board", "created": false])
        let fresh = try (0..<2).map { _ in try open(["type": "board"])["id"]?.stringValue }
        #expect(fresh[0] != fresh[1])
        #expect(try ids(client) == builtIn + ["b"] + fresh.compactMap { $0 })
        try client.request("b.set", [5])
        #expect(try client.read("b")["value"] == 5)
    }

    @Test func `is given the arguments it was opened with, once`() throws {
        let client = try Daemon().connect()
        let params: JSONValue = ["type": "greeter", "id": "g", "arguments": ["name": "Ada", "times": 2]]
        try client.request("viewModel.open", params)
        #expect(try client.read("g")["greeting"] == "Hello AdaHello Ada")
        try client.request("viewModel.open", ["type": "greeter", "id": "g", "arguments": ["name": "Bob"]])
        #expect(try client.read("g")["greeting"] == "Hello AdaHello Ada")
    }

    @Test(
        arguments: [
            (["name": 1], "/arguments/name"), ([:], "/arguments/name"),
            (["name": "Ada", "tmies": 2], "/arguments/tmies"), (["name": "nobody"], "/arguments/name"),
        ] as [(JSONValue, String)]
    )
    func `with wrong arguments is not made`(arguments: JSONValue, path: String) throws {
        let client = try Daemon().connect()
        let error = client.begin("viewModel.open", ["type": "greeter", "id": "g", "arguments": arguments]).error
        #expect(error?.code == .invalidParams)
        #expect(error?.data?["path"] == .string(path))
        #expect(try ids(client) == builtIn)
    }

    @Test func `whose making goes wrong is an incident of the daemon's own`() throws {
        let daemon = try Daemon()
        let client = try daemon.connect()
        let error = client.begin("viewModel.open", ["type": "greeter", "arguments": ["name": "crash"]]).error
        #expect(error?.code == .internalError)
        #expect(error?.data?.objectValue?.keys.sorted() == ["incident"])
        #expect(daemon.harness.incidents.first?.contains("Accident") == true)
        #expect(try ids(client) == builtIn)
    }

    @Test(
        arguments: [
            (["type": "board", "id": "rpc"], "/id"), (["type": "board", "id": "session"], "/id"),
            (["type": "board", "id": "echo"], "/id"), (["type": "board", "id": "daemon"], "/id"),
            (["type": "board", "id": "1a"], "/id"), (["type": "board", "id": "a.b"], "/id"),
            (["type": "board", "id": "taken"], "/id"), (["type": "part", "id": "p"], "/type"),
            (["type": "daemon", "id": "d"], "/id"), (["type": "coordinator"], "/id"), (["id": "x"], "/type"),
        ] as [(JSONValue, String)]
    )
    func `cannot be opened under what is somebody else's`(params: JSONValue, path: String) throws {
        let client = try Daemon().connect()
        try client.request("viewModel.open", ["type": "echo", "id": "taken"])
        let error = client.begin("viewModel.open", params).error
        #expect(error?.code == .invalidParams)
        #expect(error?.data?["path"] == .string(path))
    }

    @Test func `of a type that nobody hosts is not found`() throws {
        let client = try Daemon().connect()
        let error = client.begin("viewModel.open", ["type": "baord"]).error
        #expect(error?.code == .notFound)
        #expect(error?.data == ["type": "baord", "suggestions": ["board"]])
    }

    @Test func `that is built in can be opened under its own name only`() throws {
        let client = try Daemon().connect()
        let opened = try client.request("viewModel.open", ["type": "prompter", "id": "prompter"])
        #expect(opened == ["id": "prompter", "type": "prompter", "created": false])
    }

    @Test func `that is closed tells those who bind it, and is gone`() throws {
        let daemon = try Daemon()
        let client = try daemon.connect(), other = try daemon.connect()
        try client.request("viewModel.open", ["type": "board", "id": "b"])
        weak let board: Board? = try client.viewModel("b")
        try other.bind("b")
        try client.request("viewModel.close", ["id": "b"])
        #expect(other.received.last?.params(of: "viewModel.closed") == ["id": "b"])
        #expect(board == nil)
        #expect(client.begin("viewModel.close", ["id": "b"]).error?.code == .notFound)
        #expect(client.begin("b.set", [1]).error?.code == .methodNotFound)
        #expect(client.begin("viewModel.read", ["id": "b"]).error?.code == .notFound)
    }

    @Test func `leaves no dependents in what it shared with others`() throws {
        let client = try Daemon().connect()
        try client.request("viewModel.open", ["type": "echo", "id": "e"])
        weak let echo: Echo? = try client.viewModel("e")
        try client.bind("e")
        try client.request("board.set", [3])
        #expect(client.picture(of: "e")?["value"] == -3)
        try client.request("viewModel.close", ["id": "e"])
        #expect(echo == nil)
        let frames = client.frames.count
        try client.request("board.set", [4])
        #expect(client.frames.count == frames)
    }

    @Test func `is released although its own closures hold it`() throws {
        let client = try Daemon().connect()
        try client.request("viewModel.open", ["type": "knot", "id": "k"])
        weak let knot: Knot? = try client.viewModel("k")
        try client.request("k.tap")
        client.begin("k.wait")
        #expect(try client.read("k")["taps"] == 2)
        try client.request("viewModel.close", ["id": "k"])
        #expect(knot == nil)
    }

    @Test func `that is a default one comes back new after it was closed`() throws {
        let client = try Daemon().connect()
        try client.request("page.title", ["x"])
        try client.request("viewModel.close", ["id": "page"])
        #expect(client.begin("viewModel.close", ["id": "page"]).error?.code == .notFound)
        #expect(try client.read("page.left")["title"] == "left untitled")
    }

    @Test(arguments: ["coordinator", "prompter", "daemon", "page.left"])
    func `that is built in or a child cannot be closed`(id: String) throws {
        let client = try Daemon().connect()
        try client.request("viewModel.bind", ["id": .string(id)])
        #expect(client.begin("viewModel.close", ["id": .string(id)]).error?.code == .invalidParams)
    }

    @Test func `has its children beside it, which come and go with it`() throws {
        let client = try Daemon().connect()
        try client.bind("page.right")
        #expect(try ids(client) == builtIn + ["page", "page.left", "page.right"])
        try client.request("page.right.tap")
        #expect(client.picture(of: "page.right")?["taps"] == 1)
        #expect(try client.read("page.left")["taps"] == 0)
        try client.request("viewModel.close", ["id": "page"])
        #expect(try ids(client) == builtIn)
        #expect(client.received.contains { $0.params(of: "viewModel.closed") == ["id": "page.right"] })
    }

    @Test func `is one of as many as a session may have`() throws {
        let daemon = try Daemon { $0.limits.instancesPerSession = 6 }
        let client = try daemon.connect()
        try client.request("page.title", ["x"])
        let refusal = client.begin("board.set", [1]).error
        #expect(refusal?.data == ["limit": "limits.instancesPerSession", "value": 6])
        try client.request("viewModel.close", ["id": "page"])
        try client.request("board.set", [1])
        let tooMany = client.begin("page.title", ["x"]).error
        #expect(tooMany?.code == .limitExceeded)
    }

    @Test func `that nobody knows is answered with names that are close`() throws {
        let client = try Daemon().connect()
        let error = client.begin("bord.set", [1]).error
        #expect(error?.code == .methodNotFound)
        #expect(error?.data == ["instance": "bord", "member": "set", "suggestions": ["board"]])
        let member = client.begin("board.st", [1]).error
        #expect(member?.data == ["instance": "board", "member": "st", "suggestions": ["set"]])
        let read = client.begin("viewModel.read", ["id": "bord"]).error
        #expect(read?.code == .notFound)
        #expect(read?.data == ["instance": "bord", "suggestions": ["board"]])
    }

    @Test func `with an observer knows how many look, in a step of its own`() throws {
        let daemon = try Daemon()
        let first = try daemon.connect(), second = try daemon.connect()
        #expect(try first.bind("watched").values["reads"] == 1)
        #expect(first.picture(of: "watched")?["viewers"] == 1)
        try second.bind("watched")
        #expect(first.picture(of: "watched")?["viewers"] == 2)
        #expect(second.picture(of: "watched")?["viewers"] == 2)
        second.close()
        #expect(first.picture(of: "watched")?["viewers"] == 1)
        #expect(first.frames.map(\.seq) == first.frames.map(\.seq).sorted())
    }
}
