import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A client that cannot take frames` {
    private let daemon: Daemon
    private let client: TestClient
    private let other: TestClient

    init() throws {
        daemon = try Daemon { $0.limits.events = 10 }
        client = try daemon.connect()
        other = try daemon.connect()
        try client.bind("board")
    }

    private func set(_ values: Int...) throws {
        for value in values { try other.request("board.set", [.integer(value)]) }
    }

    @Test func `gets the sum of them when it can`() throws {
        client.acceptsFrames = false
        try set(1, 2, 3)
        try other.request("board.edit", ["kind": "insert", "index": 0, "number": 1])
        try other.request("board.edit", ["kind": "insert", "index": 0, "number": 2])
        #expect(client.frames == [])
        client.acceptsFrames = true
        #expect(client.frames.count == 1)
        let frame = try #require(client.frames.first)
        #expect(frame.values["value"] == 3)
        #expect(frame.events.map(\.value) == [1, 2, 3])
        #expect(client.picture(of: "board") == (try other.read("board")))
        try set(4)
        #expect(client.frames.count == 2)
    }

    @Test func `is not told of a value that came back to what it knows`() throws {
        try client.bind("board", outputs: ["value", "double"])
        client.acceptsFrames = false
        try set(1, 2, 0)
        client.acceptsFrames = true
        #expect(client.frames == [])
        client.acceptsFrames = false
        try set(5, 6)
        try set(5)
        client.acceptsFrames = true
        #expect(client.frames.map(\.values) == [["value": 5, "double": 10]])
    }

    @Test func `is told what changed for good beside what came back`() throws {
        try client.bind("board", outputs: ["value", "isEven"])
        client.acceptsFrames = false
        try set(1, 4)
        client.acceptsFrames = true
        #expect(client.frames.map(\.values) == [["value": 4]])
    }

    @Test func `is not told of a list that came back to what it knows`() throws {
        try client.bind("board", outputs: ["rows"])
        client.acceptsFrames = false
        try other.request("board.edit", ["kind": "insert", "index": 0, "number": 1])
        try other.request("board.edit", ["kind": "remove", "index": 0, "number": 1])
        client.acceptsFrames = true
        #expect(client.frames == [])
    }

    @Test func `still gets its replies`() throws {
        client.acceptsFrames = false
        let set = client.begin("board.set", [1])
        #expect(set.result != nil)
        #expect(client.frames == [])
        client.acceptsFrames = true
        #expect(client.frames.count == 1)
    }

    @Test func `is told how many events it has missed`() throws {
        try client.bind("board", outputs: ["number", "bell"])
        client.acceptsFrames = false
        for number in 0..<15 { try set(number) }
        client.acceptsFrames = true
        let frame = try #require(client.frames.first)
        #expect(frame.events.map(\.value) == (5..<15).map { .integer($0) })
        #expect(frame.lost == 5)
        try set(99)
        #expect(client.frames.last?.lost == 0)
        #expect(client.frames.last?.events.map(\.value) == [99])
    }

    @Test func `does not hold up another one`() throws {
        let third = try daemon.connect()
        try third.bind("board", outputs: ["value"])
        client.acceptsFrames = false
        try set(1, 2)
        #expect(third.frames.map(\.values) == [["value": 1], ["value": 2]])
    }

    @Test func `may go, or bind anew, in the meantime`() throws {
        client.acceptsFrames = false
        try set(1)
        try client.bind("board", outputs: ["value"])
        client.acceptsFrames = true
        #expect(client.frames == [])
        client.acceptsFrames = false
        try set(2)
        client.close()
        try set(3)
    }
}

@Suite struct `A binding with a least interval` {
    private let daemon: Daemon
    private let client: TestClient
    private let other: TestClient

    init() throws {
        daemon = try Daemon()
        client = try daemon.connect()
        other = try daemon.connect()
        try client.bind("board", outputs: ["value", "number"], minInterval: 100)
    }

    private func set(_ value: Int, then pause: Int) throws {
        try other.request("board.set", [.integer(value)])
        daemon.harness.advance(by: .milliseconds(pause))
    }

    @Test func `tells no sooner than that after each frame`() throws {
        try set(1, then: 50)
        #expect(client.frames.map(\.values) == [["value": 1]])
        try set(2, then: 20)
        try set(3, then: 29)
        #expect(client.frames.count == 1)
        daemon.harness.advance(by: .milliseconds(1))
        #expect(client.frames.map(\.values) == [["value": 1], ["value": 3]])
        #expect(client.frames[1].events.map(\.value) == [2, 3])
        try set(4, then: 99)
        #expect(client.frames.count == 2)
        daemon.harness.advance(by: .milliseconds(1))
        #expect(client.frames.count == 3)
    }

    @Test func `tells at once when it has been quiet`() throws {
        try set(1, then: 100)
        try set(2, then: 0)
        #expect(client.frames.count == 2)
    }

    @Test func `tells nothing of a value that came back within it`() throws {
        try client.bind("board", outputs: ["value"], minInterval: 100)
        try set(1, then: 20)
        try set(2, then: 20)
        try set(1, then: 100)
        #expect(client.frames.map(\.values) == [["value": 1]])
    }

    @Test func `tells of a value that came back if the client has read another one meanwhile`() throws {
        try client.bind("board", outputs: ["value"], minInterval: 100)
        try set(1, then: 20)
        try set(2, then: 20)
        let read = try client.request("viewModel.read", ["id": "board", "outputs": ["value"]])
        #expect(read["values"] == ["value": 2])
        try set(1, then: 100)
        #expect(client.frames.map(\.values) == [["value": 1], ["value": 1]])
    }

    @Test func `that is ended tells nothing more`() throws {
        try set(1, then: 10)
        try set(2, then: 10)
        try client.unbind("board")
        daemon.harness.advance(by: .seconds(1))
        #expect(client.frames.count == 1)
    }

    @Test func `waits for a client that cannot take frames when its time has come`() throws {
        try set(1, then: 50)
        try set(2, then: 10)
        client.acceptsFrames = false
        daemon.harness.advance(by: .milliseconds(40))
        try set(3, then: 100)
        #expect(client.frames.count == 1)
        client.acceptsFrames = true
        #expect(client.frames.map(\.values) == [["value": 1], ["value": 3]])
        #expect(client.frames[1].events.map(\.value) == [2, 3])
        try set(4, then: 99)
        #expect(client.frames.count == 2)
        daemon.harness.advance(by: .milliseconds(1))
        #expect(client.frames.count == 3)
    }

    @Test(arguments: [-1, nil, "1"] as [JSONValue])
    func `of no number of milliseconds is refused`(interval: JSONValue) throws {
        let error = client.begin("viewModel.bind", ["id": "board", "minInterval": interval]).error
        #expect(interval.isNull || error?.data?["path"] == "/minInterval")
    }
}
