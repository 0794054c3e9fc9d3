import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A binding` {
    private let daemon: Daemon
    private let client: TestClient
    private let other: TestClient

    init() throws {
        daemon = try Daemon()
        client = try daemon.connect()
        other = try daemon.connect()
    }

    private func edit(_ kind: String, _ index: Int = 0, _ number: Int = 0) -> JSONValue {
        ["kind": .string(kind), "index": .integer(index), "number": .integer(number)]
    }

    @Test func `begins with the whole picture, at a step`() throws {
        let result = try client.bind("board")
        #expect(result.full)
        #expect(result.seq == 4)
        #expect(result.events == nil)
        #expect(
            result.values == [
                "value": 0, "double": 0, "isEven": true, "rows": [], "reversed": [],
                "work.enabled": true, "work.executing": false, "work.progress": nil,
                "parallel.enabled": true, "parallel.executing": false, "parallel.progress": nil,
                "put.enabled": true, "put.executing": false, "put.progress": nil,
                "fail.enabled": true, "fail.executing": false, "fail.progress": nil,
            ]
        )
        #expect(client.frames == [])
    }

    @Test func `tells all that a step changes in one frame, and nothing else`() throws {
        try client.bind("board")
        try other.request("board.all", edit("insert", 0, 3))
        let row: JSONValue = ["id": 1, "text": "row 3"]
        #expect(
            client.frames == [
                Frame(
                    instance: "board",
                    seq: 5,
                    values: ["value": 3, "double": 6, "isEven": false, "rows": [row], "reversed": [row]],
                    events: [OutputEvent(output: "bell", value: "all")]
                )
            ]
        )
    }

    @Test func `tells nothing of an output whose value is what it was`() throws {
        try client.bind("board")
        try other.request("board.set", [2])
        try other.request("board.set", [2])
        try other.request("board.set", [4])
        try other.request("board.flicker", [7])
        #expect(client.frames.map(\.values) == [["value": 2, "double": 4], [:], ["value": 4, "double": 8]])
        #expect(client.frames.map { $0.events.map(\.value) } == [[2], [2], [4]])
    }

    @Test func `to some outputs tells of no others`() throws {
        try client.bind("board", outputs: ["isEven", "number"])
        #expect(client.picture(of: "board")?.values == ["isEven": true])
        try other.request("board.ring", ["x"])
        try other.request("board.set", [2])
        try other.request("board.set", [3])
        #expect(client.frames.map(\.values) == [[:], ["isEven": false]])
        #expect(client.frames.map { $0.events.map(\.output) } == [["number"], ["number"]])
        try client.bind("board", outputs: [])
        try other.request("board.set", [4])
        #expect(client.frames.count == 2)
    }

    @Test func `to an output that does not exist is refused, and leaves the one before as it was`() throws {
        try client.bind("board", outputs: ["value"])
        let error = client.begin("viewModel.bind", ["id": "board", "outputs": ["value", "dobule"]]).error
        #expect(error?.code == .invalidParams)
        #expect(error?.data?["path"] == "/outputs/1")
        #expect(error?.data?["suggestions"] == ["double"])
        try other.request("board.set", [1])
        #expect(client.frames.map(\.values) == [["value": 1]])
    }

    @Test func `replaces the one before of the same client`() throws {
        try client.bind("board")
        try client.bind("board", outputs: ["double"])
        try other.request("board.set", [1])
        #expect(client.frames.map(\.values) == [["double": 2]])
    }

    @Test func `that was ended says nothing more`() throws {
        try client.bind("board")
        try client.unbind("board")
        try other.request("board.set", [1])
        #expect(client.frames == [])
        try client.unbind("board")
        #expect(client.begin("viewModel.unbind", ["id": "nobody"]).error?.code == .notFound)
    }

    @Test func `ends when its client attaches elsewhere`() throws {
        try client.bind("board")
        try client.request("session.attach", ["session": "elsewhere"])
        try other.request("board.set", [1])
        #expect(client.frames == [])
    }

    @Test func `tells of an action by enabled, executing and progress`() throws {
        try client.bind("board", outputs: ["work.enabled", "work.executing", "value"])
        let call = other.begin("board.work", [3])
        daemon.work.complete(with: 9)
        #expect(call.result == 9)
        #expect(
            client.frames.map(\.values) == [
                ["work.enabled": false, "work.executing": true, "value": 3],
                ["work.enabled": true, "work.executing": false, "value": 9],
            ]
        )
    }

    @Test func `gets the frames of one step of several instances back to back, under one number`() throws {
        try client.bind("board", outputs: ["value"])
        try client.bind("echo")
        try client.bind("page.left")
        try client.bind("page.right")
        try other.request("echo.set", [5])
        try other.request("page.title", ["x"])
        #expect(client.frames.map(\.instance) == ["board", "echo", "page.left", "page.right"])
        #expect(client.frames[0].seq == client.frames[1].seq)
        #expect(client.frames[2].seq == client.frames[3].seq)
        #expect(client.frames[2].seq == client.frames[0].seq + 1)
    }

    @Test func `shows the frames of a request before its reply`() throws {
        try client.bind("board")
        _ = client.takeReceived()
        let set = client.begin("board.set", [1])
        let put = client.begin("board.put", [2])
        let received = client.takeReceived()
        #expect(received.map(\.isAnswer) == [false, true, false, true])
        #expect(set.result == ["seq": .integer(received[0].frame?.seq ?? 0)])
        #expect(put.result == 2)
    }

    @Test func `shows the same as reading at the same step`() throws {
        try client.bind("board")
        try other.request("board.all", edit("fill", 7, 5))
        #expect(try client.read("board") == client.picture(of: "board"))
        #expect(try client.read("board", outputs: ["double", "bell"]).values == ["double": 10])
    }

    @Test func `tells what failed to nobody but the caller`() throws {
        try client.bind("board")
        let error = other.begin("board.fail").error
        #expect(error?.code == .actionFailed)
        #expect(error?.message == "It is broken")
        #expect(error?.data == ["error": "broken", "details": "all of it", "retryable": false])
        #expect(client.frames == [])
    }

    @Test func `is told of a value that a check refuses nothing, its sender is`() throws {
        try client.bind("board")
        let error = other.begin("board.edit", edit("insert", -1)).error
        #expect(error?.data?["path"] == "/index")
        #expect(error?.data?["expected"] == "0 or more")
        #expect(client.frames == [])
        try other.request("board.edit", edit("insert"))
        #expect(client.frames.count == 1)
    }
}
