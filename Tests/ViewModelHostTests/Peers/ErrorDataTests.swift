import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

@Suite struct `The data of an error` {
    private let daemon: Daemon
    private let client: TestClient

    init() throws {
        daemon = try Daemon()
        client = try daemon.connect()
    }

    private func data(_ method: String, _ params: JSONValue? = nil) -> JSONValue? {
        client.begin(method, params).error?.data
    }

    @Test(
        arguments: [
            ("board.set", ["5"], #"{"path":"/0","expected":"an integer","found":"\"5\""}"#),
            ("board.set", [["a": [1, "b"]]], #"{"path":"/0","expected":"an integer","found":"{\"a\":[1,\"b\"]}"}"#),
            ("board.set", [1, "b"], #"{"path":"/1","expected":"one value","found":"\"b\""}"#),
            ("board.idle", ["b"], #"{"path":"/0","expected":"no params","found":"\"b\""}"#),
            ("board.idle", ["value": nil], #"{"path":"/value","expected":"no params","found":"null"}"#),
            (
                "board.set", ["vlaue": "x"],
                #"{"path":"/vlaue","expected":"no such member; only value","found":"\"x\"","suggestions":["value"]}"#
            ),
            (
                "board.set", ["value": 1, "other": 2],
                #"{"path":"/other","expected":"no such member; only value","found":"2","suggestions":[]}"#
            ),
            (
                "board.edit", ["kind": "clear", "index": 1, "numer": 2],
                #"{"path":"/numer","expected":"no such member; one of kind, index, number","found":"2","suggestions":["number"]}"#
            ),
            (
                // The first missing member is `kind`; the type has not asked for the others yet.
                "board.edit", ["number": 2, "indx": 1],
                #"{"path":"/indx","expected":"no such member; one of kind, index, number","found":"1","suggestions":["index"]}"#
            ),
            (
                "viewModel.bind", ["output": ["value"]],
                #"""
                {"path":"/output","expected":"no such member; one of id, outputs, since, windows, minInterval, patches",
                "found":"[\"value\"]","suggestions":["outputs"]}
                """#
            ),
            (
                "viewModel.bind", ["id": "board", "windows": ["rows": ["ofset": 1]]],
                #"""
                {"path":"/windows/rows/ofset","expected":"no such member; one of offset, limit","found":"1",
                "suggestions":["offset"]}
                """#
            ),
            (
                "viewModel.bind", ["id": "board", "since": ["epoc": "x"]],
                #"{"path":"/since/epoc","expected":"no such member; one of epoch, seq","found":"\"x\"","suggestions":["epoch"]}"#
            ),
            (
                "session.attach", ["Session": "x"],
                #"""
                {"path":"/Session","expected":"no such member; one of session, linger, client, uid, move","found":"\"x\"",
                "suggestions":["session"]}
                """#
            ),
            (
                "session.list", ["_meta": ["deadlin": 1]],
                #"{"path":"/_meta/deadlin","expected":"no such member; one of deadline, key","found":"1","suggestions":["deadline"]}"#
            ),
            (
                "board.set", ["value": 1, "_meta": ["keys": "x"]],
                #"{"path":"/_meta/keys","expected":"no such member; one of deadline, key","found":"\"x\"","suggestions":["key"]}"#
            ),
            (
                "viewModel.open", ["type": "greeter", "arguments": ["nam": "x"]],
                #"{"path":"/arguments/nam","expected":"no such member; one of name, times","found":"\"x\"","suggestions":["name"]}"#
            ),
            (
                "viewModel.read", ["id": "board", "outputs": ["valeu"]],
                #"{"path":"/outputs/0","expected":"an output of board","found":"\"valeu\"","suggestions":["value"]}"#
            ),
            (
                "coordinator.open", ["scen": "x"],
                #"{"path":"/scen","expected":"no such member; one of scene, arguments","found":"\"x\"","suggestions":["scene"]}"#
            ),
            (
                "board.edit", [:],
                #"{"path":"/kind","expected":"one of insert remove replace move clear fill","found":"nothing"}"#
            ),
        ] as [(String, JSONValue, String)]
    )
    func `has the place and the JSON text of the value`(method: String, params: JSONValue, expected: String) {
        #expect(data(method, params) == JSONValue(text: expected))
    }

    @Test func `says that an output is not a method`() {
        for method in [
            "board.value", "board.rows", "board.bell", "board.work.enabled", "board.work.progress", "page.left.title",
            "coordinator.scenes", "coordinator.back.executing",
        ] {
            let hint = data(method)?["hint"]
            #expect(hint == .string("\(method) is an output: viewModel.read and viewModel.bind return its value"))
        }
        #expect(data("board.work.enabled")?["instance"] == "board.work")
        #expect(data("board.work.enabled")?["member"] == "enabled")
        #expect(data("board.work.enabled")?["suggestions"] == [])
        #expect(data("board.work.nothing")?["hint"] == nil)
        #expect(data("nobody.work.enabled")?["hint"] == nil)
    }

    @Test func `says that an instance is not a method`() {
        for method in ["board", "coordinator", "page.left"] {
            #expect(data(method)?["hint"]?.stringValue?.hasPrefix("\(method) is an instance") == true)
            #expect(data(method + ".")?["hint"]?.stringValue?.hasPrefix("\(method) is an instance") == true)
        }
        #expect(data("bord")?["hint"] == nil)
        #expect(data("bord")?["suggestions"] == ["board"])
    }

    @Test func `has the ids of children for the name of their type`() {
        #expect(data("viewModel.read", ["id": "part"])?["suggestions"] == ["page.left", "page.right"])
        #expect(data("part.tap")?["suggestions"] == ["page.left", "page.right"])
    }

    @Test func `has a hint for what is not JSON, and for what is not a request`() {
        for (text, reason, part) in [
            ("{", nil, "A message is one line"), ("[]", "emptyBatch", "at least one request"),
            (#"{"jsonrpc":"2.0","id":1,"method":"session.list","params":null}"#, "params", "instead of null"),
            (#"{"id":1,"method":"session.list"}"#, "jsonrpc", #""jsonrpc":"2.0""#),
            (#"{"jsonrpc":"2.0","id":1,"method":1}"#, "method", "is a string"),
            (#"{"jsonrpc":"2.0","id":[],"method":"session.list"}"#, "id", "a string, a number or null"),
            (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"session.list"}"#, "duplicateMember", "once"),
            ("7", "notAnObject", "an object"), ("[7]", "notAnObject", "an object"),
        ] as [(String, JSONValue?, String)] {
            client.send(text)
            let error: ProtocolError? =
                switch client.takeReceived().last {
                case .error(_, let error): error
                case .batch(let entries): if case .error(_, let error) = entries.last { error } else { nil }
                default: nil
                }
            #expect(error?.data?["hint"]?.stringValue?.contains(part) == true, "\(text)")
            #expect(error?.data?["reason"] == reason)
        }
    }
}
