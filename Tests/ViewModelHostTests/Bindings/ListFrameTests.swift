import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `A bound list` {
    private let client: TestClient
    private let other: TestClient

    init() throws {
        let daemon = try Daemon()
        client = try daemon.connect()
        other = try daemon.connect()
        try edit("fill", 0, 100)
    }

    private func edit(_ kind: String, _ index: Int = 0, _ number: Int = 0) throws {
        try other.request(
            "board.edit",
            ["kind": .string(kind), "index": .integer(index), "number": .integer(number)]
        )
    }

    @Test func `is told by a patch when that is smaller, and as a value when it is not`() throws {
        try client.bind("board", outputs: ["rows"])
        try edit("remove", 3)
        try edit("clear", 0, 1)
        try edit("fill", 0, 2000)
        #expect(client.frames.map { $0.patch?.operations.count } == [1, 25, nil])
        #expect(client.frames.map { $0.values.isEmpty } == [true, true, false])
        #expect(client.picture(of: "board")?.values == (try other.read("board", outputs: ["rows"]).values))
    }

    @Test func `that moved is told as a move`() throws {
        try client.bind("board", outputs: ["rows"])
        try edit("move", 3, 90)
        let pointers = client.frames[0].patch?.paths.map(\.description)
        #expect(pointers == ["/rows/3", "/rows/90"])
        #expect(client.picture(of: "board")?["rows"]?[90]?["id"] == 4)
    }

    @Test func `through a window is offset, count and the rows in it`() throws {
        let windows = ["rows": Window(offset: 10, limit: 2)]
        try client.bind("board", outputs: ["rows"], windows: windows)
        #expect(
            client.picture(of: "board")?["rows"] == [
                "offset": 10, "count": 100, "rows": [["id": 11, "text": "row 0"], ["id": 12, "text": "row 0"]],
            ]
        )
        let read = try other.read("board", outputs: ["rows"], windows: windows)
        #expect(read.values == client.picture(of: "board")?.values)
    }

    @Test func `through a window is not told of what happens below it`() throws {
        try client.bind("board", outputs: ["rows"], windows: ["rows": Window(offset: 10, limit: 2)])
        try edit("replace", 50, 1)
        try edit("move", 60, 70)
        #expect(client.frames == [])
        try edit("remove", 50)
        #expect(client.frames.map { $0.patch?.paths.map(\.description) } == [["/rows/count"]])
        try edit("replace", 11, 2)
        try edit("remove", 0)
        #expect(client.picture(of: "board")?["rows"]?["count"] == 98)
        let rows: JSONValue = [["id": 12, "text": "text 2"], ["id": 13, "text": "row 0"]]
        #expect(client.picture(of: "board")?["rows"]?["rows"] == rows)
    }

    @Test func `through a window is not sent again without patches either while nothing in it changes`() throws {
        let window: JSONValue = ["rows": ["offset": 10, "limit": 2]]
        try client.request("viewModel.bind", ["id": "board", "outputs": ["rows"], "windows": window, "patches": false])
        try edit("replace", 50, 1)
        try edit("move", 60, 70)
        #expect(client.frames == [])
        try edit("replace", 11, 2)
        #expect(client.frames.map { $0.values["rows"]?["rows"]?[1]?["text"] } == ["text 2"])
    }

    @Test(arguments: [(99, 5, 1), (100, 5, 0), (1_000_000, 5, 0), (0, 0, 0), (0, 1000, 100)])
    func `through a window at its end has as many rows as there are`(offset: Int, limit: Int, count: Int) throws {
        try client.bind("board", outputs: ["rows"], windows: ["rows": Window(offset: offset, limit: limit)])
        #expect(client.picture(of: "board")?["rows"]?["rows"]?.arrayValue?.count == count)
        #expect(client.picture(of: "board")?["rows"]?["offset"] == .integer(offset))
    }

    @Test(
        arguments: [
            ["rows": ["offset": -1, "limit": 1]], ["rows": ["offset": 0]], ["value": ["offset": 0, "limit": 1]],
            ["nothing": ["offset": 0, "limit": 1]], ["reversed": ["offset": 0, "limit": 1]],
        ] as [JSONValue]
    )
    func `through a window that does not fit is refused`(windows: JSONValue) throws {
        let params: JSONValue = ["id": "board", "outputs": ["rows", "value"], "windows": windows]
        let error = client.begin("viewModel.bind", params).error
        #expect(error?.code == .invalidParams)
        #expect(error?.data?["path"]?.stringValue?.hasPrefix("/windows/") == true)
    }

    @Test func `is scrolled by binding again`() throws {
        try client.bind("board", outputs: ["rows"], windows: ["rows": Window(offset: 0, limit: 1)])
        try client.bind("board", outputs: ["rows"], windows: ["rows": Window(offset: 1, limit: 1)])
        try edit("replace", 0, 1)
        #expect(client.frames == [])
        try edit("replace", 1, 1)
        #expect(client.frames.count == 1)
    }
}
