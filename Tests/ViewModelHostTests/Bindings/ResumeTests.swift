import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A resumed binding` {
    private let daemon: Daemon
    private let client: TestClient
    private let other: TestClient

    init() throws {
        daemon = try Daemon { $0.limits.events = 10 }
        client = try daemon.connect(linger: 60)
        other = try daemon.connect()
        try edit("fill", 0, 50)
    }

    private func edit(_ kind: String, _ index: Int = 0, _ number: Int = 0) throws {
        try other.request(
            "board.edit",
            ["kind": .string(kind), "index": .integer(index), "number": .integer(number)]
        )
    }

    @Test func `is told what changed since`() throws {
        try client.bind("board")
        var picture = try #require(client.picture(of: "board"))
        client.close()
        try other.request("board.set", [5])
        try edit("remove", 3)
        try other.request("board.ring", ["x"])
        let again = try daemon.connect()
        let result = try again.bind("board", since: picture.since)
        #expect(!result.full)
        #expect(result.values.keys.sorted() == ["double", "isEven", "value"])
        #expect(result.patch?.operations.count == 2)
        #expect(result.events?.map(\.value) == [5, "x"])
        #expect(result.lost == nil)
        try picture.apply(result)
        #expect(picture == (try other.read("board")))
    }

    @Test func `is told nothing when nothing changed`() throws {
        try client.bind("board")
        let picture = try #require(client.picture(of: "board"))
        client.close()
        let again = try daemon.connect()
        let result = try again.bind("board", since: picture.since)
        #expect(!result.full)
        #expect(result.values == [:])
        #expect(result.patch == nil)
        #expect(result.events == nil)
        #expect(result.seq == picture.seq)
    }

    @Test func `is told how many events are not kept`() throws {
        try client.bind("board", outputs: ["number", "bell"])
        let picture = try #require(client.picture(of: "board"))
        for number in 0..<13 { try other.request("board.set", [.integer(number)]) }
        let result = try daemon.connect().bind("board", outputs: ["number", "bell"], since: picture.since)
        #expect(result.events?.map(\.value) == (3..<13).map { .integer($0) })
        #expect(result.lost == 3)
    }

    @Test func `of another epoch, of the future, or from before the instance begins anew`() throws {
        try client.bind("board")
        let since = try #require(client.picture(of: "board")).since
        try other.request("board.set", [5])
        let again = try daemon.connect()
        #expect(try again.bind("board", since: Since(epoch: "other", seq: since.seq)).full)
        #expect(try again.bind("board", since: Since(epoch: since.epoch, seq: since.seq + 100)).full)
        try other.request("viewModel.open", ["type": "board", "id": "late"])
        #expect(try again.bind("late", since: since).full)
        #expect(try !again.bind("board", since: since).full)
    }

    @Test func `of a list that changed too much gets the list`() throws {
        try client.bind("board", outputs: ["rows"])
        var picture = try #require(client.picture(of: "board"))
        for _ in 0..<3 { try edit("fill", 0, 900) }
        let result = try daemon.connect().bind("board", outputs: ["rows"], since: picture.since)
        #expect(!result.full)
        #expect(result.patch == nil)
        try picture.apply(result)
        #expect(picture == (try other.read("board", outputs: ["rows"])))
    }

    @Test func `of a window gets the window's value`() throws {
        let windows = ["rows": Window(offset: 10, limit: 5)]
        try client.bind("board", outputs: ["rows"], windows: windows)
        var picture = try #require(client.picture(of: "board"))
        try edit("remove", 0)
        let again = try daemon.connect()
        let result = try again.bind("board", outputs: ["rows"], windows: windows, since: picture.since)
        try picture.apply(result)
        #expect(picture == (try other.read("board", outputs: ["rows"], windows: windows)))
        try edit("remove", 0)
        #expect(again.frames.count == 1)
        try picture.apply(try #require(again.frames.first).paramsForTest)
        #expect(picture == (try other.read("board", outputs: ["rows"], windows: windows)))
    }

    @Test func `that replaces a living one goes on from there`() throws {
        try client.bind("board", outputs: ["value"])
        let since = try #require(client.picture(of: "board")).since
        client.acceptsFrames = false
        try other.request("board.set", [5])
        let result = try client.bind("board", outputs: ["value"], since: since)
        #expect(result.values == ["value": 5])
        client.acceptsFrames = true
        #expect(client.frames == [])
    }
}

extension Frame {
    /// The frame as a picture takes it.
    fileprivate var paramsForTest: ViewModelChanged.Params {
        ViewModelChanged.Params(
            id: instance,
            seq: seq,
            values: values,
            patch: patch,
            events: events,
            lost: lost
        )
    }
}
