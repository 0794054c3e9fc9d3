import Foundation
import TestSupport
import Testing
import ViewModelProtocol
import ViewModelTesting

/// `--mock CONTRACT` over a real socket.
@Suite(.timeLimit(.minutes(5))) struct MockTests {
    /// A contract as a person writes it.
    private static let player = """
        components:
          schemas:
            Episode:
              type: object
              properties:
                id: {type: integer}
                title: {type: string, minLength: 1}
                heard: {anyOf: [{type: boolean}, {type: 'null'}]}
              required: [id, title]
              additionalProperties: false
        x-scenes: {settings: null}
        x-viewModels:
          player:
            description: Plays episodes.
            inputs:
              volume: {schema: {type: integer, minimum: 0, maximum: 100}, description: The volume.}
              mode: {schema: {enum: [once, repeat]}}
              login: {schema: {type: object, properties: {user: {type: string}, password: {type: string, format: password}}}}
              stop: {}
            outputs:
              volume: {schema: {type: integer, minimum: 0, maximum: 100}, example: 40}
              mode: {schema: {enum: [once, repeat]}}
              title: {schema: {anyOf: [{type: string}, {type: 'null'}]}}
              since: {schema: {type: string, format: date-time}}
              queue:
                kind: list
                schema: {type: array, items: {$ref: '#/components/schemas/Episode'}}
                example: [{id: 1, title: One}, {id: 2, title: Two, heard: true}]
              chime: {kind: event, schema: {type: string}}
            actions:
              play:
                params: {type: object, properties: {id: {type: integer}}, required: [id], additionalProperties: false}
                result: {$ref: '#/components/schemas/Episode'}
                example: {id: 1, title: One}
                errors:
                  - error: offline
                    description: There is no network.
                    retryable: true
                  - error: unknown
                    details: {type: object, properties: {ids: {type: array, items: {type: integer}}}, required: [ids]}
              load: {policy: queued, result: {type: array, items: {type: string}}}
            children: {header: playerHeader}
          playerHeader:
            outputs: {text: {schema: {type: string}, example: Hello}}
        """

    @Test func `the mock of a daemon's own contract has that contract, byte for byte`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let file = "\(folder)/contract.json"
        try await withDaemon("--lab") { daemon in
            let contract = try await daemon.ctl("rpc", "rpc.discover")
            try Data(contract.output.utf8).write(to: URL(fileURLWithPath: file))
        }
        let end = try await withDaemon("--mock", file) { daemon in
            let contract = try await daemon.ctl("rpc", "rpc.discover")
            #expect(contract.output == (try String(contentsOfFile: file, encoding: .utf8)))
            let connection = try daemon.connect()
            let press = try connection.call("calculator.press", #"["x"]"#)
            #expect(
                press["error"]?["data"]
                    == json(##"{"path":"/0","expected":"one of 0 1 2 3 4 5 6 7 8 9 . + - * / =","found":"\"x\""}"##)
            )
            #expect(try connection.call("lab.sleep", #"{"milliseconds":1.5}"#)["error"]?["code"] == .integer(-32602))
            #expect(!FileManager.default.fileExists(atPath: daemon.state), "a mock keeps nothing")
        }
        #expect(end.status == 0, "\(end.log)")
    }

    @Test func `outputs have examples or values of their types, and fields follow their inputs`() async throws {
        try await withMock { daemon in
            let connection = try daemon.connect()
            let read = try connection.call("viewModel.read", #"{"id":"player"}"#)["result"]?["values"]
            #expect(read?["volume"] == .integer(40) && read?["mode"] == "once" && read?["title"] == .null)
            #expect(read?["since"] == "1970-01-01T00:00:00Z" && read?["play.enabled"] == .bool(true))
            #expect(read?["queue"] == json(#"[{"id":1,"title":"One"},{"id":2,"title":"Two","heard":true}]"#))
            #expect(try connection.values("player.header") == json(#"{"text":"Hello"}"#))
            #expect(try connection.call("player.volume", "[7.0]")["result"] != nil)
            #expect(try connection.call("player.mode", #"["repeat"]"#)["result"] != nil)
            let after = try connection.values("player", "volume", "mode")
            #expect(after == json(#"{"volume":7,"mode":"repeat"}"#))
            #expect(try connection.call("player.stop")["result"] != nil)
            #expect(try connection.call("player.load")["result"] == json("[]"))
            #expect(try connection.call("coordinator.open", #"{"scene":"settings"}"#)["result"] != nil)
        }
    }

    @Test(
        arguments: [
            ("player.volume", "[101]", #"{"path":"/0","expected":"an integer from 0 to 100","found":"101"}"#),
            ("player.volume", #"{"value":"loud"}"#, #"{"path":"/value","expected":"an integer","found":"\"loud\""}"#),
            ("player.mode", #"["twice"]"#, #"{"path":"/0","expected":"one of once repeat","found":"\"twice\""}"#),
            ("player.play", "{}", #"{"path":"/id","expected":"an integer","found":"nothing"}"#),
            (
                "player.play", #"{"id":1,"x":2}"#,
                #"{"path":"/x","expected":"no such member; only id","found":"2","suggestions":[]}"#
            ),
            (
                "player.play", #"{"ids":1}"#,
                #"{"path":"/ids","expected":"no such member; only id","found":"1","suggestions":["id"]}"#
            ),
            ("player.play", #"{"id":1.5}"#, #"{"path":"/id","expected":"an integer","found":"1.5"}"#),
            ("player.stop", "[1]", #"{"path":"/0","expected":"no params","found":"something that is not shown"}"#),
            (
                "mock.set", #"{"output":"player.queue","value":[{"id":1,"title":""}]}"#,
                #"{"path":"/value/0/title","expected":"a string of at least 1 character","found":"\"\""}"#
            ),
            (
                "mock.set", #"{"output":"player.queue","value":[{"id":1,"title":"a"},{"id":1,"title":"b"}]}"#,
                #"{"path":"/value","expected":"rows with different ids","found":"two rows of one id"}"#
            ),
            (
                "mock.on", #"{"member":"player.play","failure":{"error":"unknown","details":{"ids":["a"]}}}"#,
                #"{"path":"/failure/details/ids/0","expected":"an integer","found":"\"a\""}"#
            ),
            (
                "mock.on", #"{"member":"player.play","result":{"id":1}}"#,
                #"{"path":"/result/title","expected":"a string of at least 1 character","found":"nothing"}"#
            ),
            (
                "mock.on", #"{"member":"player.play","delay":-1}"#,
                #"{"path":"/delay","expected":"milliseconds from 0 to 86400000","found":"-1"}"#
            ),
        ]
    )
    func `a value that the contract does not allow is refused`(
        method: String,
        params: String,
        data: String
    ) async throws {
        try await withMock { daemon in
            let error = try daemon.connect().call(method, params)["error"]
            #expect(error?["code"] == .integer(-32602) && error?["data"] == json(data), "\(String(describing: error))")
        }
    }

    @Test func `outcomes, the n-th call, failures and their details are scripted, and calls are listed`() async throws {
        try await withMock { daemon in
            let connection = try daemon.connect()
            try connection.on(#"{"member":"player.play","failure":{"error":"offline"}}"#)
            try connection.on(
                #"{"member":"player.play","call":2,"result":{"id":9,"title":"Nine"},"set":{"player.title":"Nine"}}"#
            )
            try connection.on(
                #"{"member":"player.play","call":3,"failure":{"error":"unknown","details":{"ids":[4]},"retryable":true}}"#
            )
            let offline = try connection.call("player.play", #"{"id":1}"#)["error"]
            #expect(offline?["message"] == "There is no network." && offline?["code"] == .integer(-32000))
            #expect(offline?["data"] == json(#"{"error":"offline","details":null,"retryable":true}"#))
            #expect(try connection.call("player.play", #"{"id":2}"#)["result"] == json(#"{"id":9,"title":"Nine"}"#))
            #expect(try connection.values("player", "title") == json(#"{"title":"Nine"}"#))
            let unknown = try connection.call("player.play", #"{"id":3}"#)["error"]?["data"]
            #expect(unknown == json(#"{"error":"unknown","details":{"ids":[4]},"retryable":true}"#))
            let again = try connection.call("player.play", #"{"id":4,"_meta":{"key":"k"}}"#)["error"]?["data"]?["error"]
            #expect(again == "offline")

            _ = try connection.call("player.login", #"{"user":"ada","password":"secret"}"#)
            try connection.on(
                #"{"member":"player.volume","call":1,"refusal":{"expected":"a quieter one","found":"50"}}"#
            )
            let refused = try connection.call("player.volume", "[50]")["error"]?["data"]
            #expect(refused == json(#"{"path":"/0","expected":"a quieter one","found":"50"}"#))
            let calls = try connection.values("mock")?["calls"]?.arrayValue ?? []
            #expect(calls.map { $0["call"] } == [1, 2, 3, 4, 1, 1].map(JSONValue.integer))
            #expect(calls[3]["params"] == json(#"{"id":4}"#), "without the options of the call")
            #expect(
                calls[4]
                    == json(
                        ##"{"id":5,"member":"player.login","call":1,"params":{"user":"ada","password":"<password>"}}"##
                    )
            )

            #expect(try connection.call("mock.reset")["result"] != nil)
            #expect(try connection.values("mock") == json(#"{"calls":[]}"#))
            #expect(try connection.values("player", "title") == json(#"{"title":null}"#))
            #expect(try connection.call("player.play", #"{"id":1}"#)["result"]?["title"] == "One")

            try connection.on(#"{"member":"player.play","failure":{"error":"jammed","details":{"tries":3}}}"#)
            let undeclared = try connection.call("player.play", #"{"id":1}"#)["error"]?["data"]
            #expect(undeclared == json(#"{"error":"jammed","details":{"tries":3},"retryable":false}"#))
        }
    }

    /// A contract with parts of JSON Schema that no daemon writes.
    private static let desk = """
        components:
          schemas:
            Base: {type: object, properties: {id: {type: integer}}, required: [id]}
            Note:
              description: A note.
              allOf:
                - $ref: '#/components/schemas/Base'
                - {type: object, properties: {text: {type: string}}, required: [text]}
        x-viewModels:
          desk:
            arguments: {type: object, properties: {size: {type: integer}}}
            inputs:
              step: {schema: {type: integer, multipleOf: 5}}
              price: {schema: {type: number, multipleOf: 0.01}}
              tags: {schema: {type: object, required: [first], additionalProperties: {type: string}, maxProperties: 2}}
              place: {schema: {type: object, properties: {name: {type: string}}}}
            outputs:
              note: {schema: {$ref: '#/components/schemas/Note'}}
            actions:
              add: {params: {$ref: '#/components/schemas/Note'}}
              file:
                params:
                  type: object
                  properties: {notes: {type: array, items: {$ref: '#/components/schemas/Base'}}}
        """

    @Test func `multiples, numbers of members, required other members and merged objects are checked`() async throws {
        try await withMock(Self.desk) { daemon in
            let connection = try daemon.connect()
            #expect(try connection.values("desk", "note") == json(#"{"note":{"id":0,"text":""}}"#))
            for (method, params) in [
                ("desk.step", "[10]"), ("desk.price", "[19.99]"), ("desk.price", "[1e2]"), ("desk.price", "[-0.070]"),
                ("desk.tags", #"{"first":"a","b":"c"}"#), ("desk.add", #"{"id":1,"text":"a"}"#),
            ] {
                let reply = try connection.call(method, params)
                #expect(reply["result"] != nil, "\(reply)")
            }
            for (method, params, expected) in [
                ("desk.step", "[7]", "an integer, a multiple of 5"),
                ("desk.price", "[0.015]", "a number, a multiple of 0.01"),
                ("desk.tags", #"{"first":"a","b":"c","d":"e"}"#, "an object of at most 2 members"),
                ("desk.tags", #"{"b":"c"}"#, "a string"),
                ("desk.add", #"{"id":1}"#, "a string"),
                ("desk.add", #"{"id":1,"text":"a","x":1}"#, "no such member; one of id, text"),
            ] {
                let error = try connection.call(method, params)["error"]
                #expect(error?["code"] == .integer(-32602), "\(method) \(params)")
                #expect(error?["data"]?["expected"] == .string(expected), "\(method) \(params)")
            }
        }
    }

    @Test func `patterns are those of JSON Schema, and the log names one that is not checked`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let text = """
            x-viewModels:
              form:
                inputs:
                  plain: {schema: {type: string, pattern: '^[^<>]*$'}}
                  digits: {schema: {type: string, pattern: '^\\d{2}$'}}
                  word: {schema: {type: string, pattern: '^(a+)+$'}}
                  free: {schema: {type: string, pattern: '^(?!no)'}}
            """
        let end = try await withDaemon("--mock", try contract(text, in: folder), folder: folder) { daemon in
            let connection = try daemon.connect()
            for (input, text) in [("plain", "a\u{301}"), ("digits", "12"), ("word", "aa"), ("free", "no")] {
                #expect(try connection.call("form.\(input)", "[\"\(text)\"]")["result"] != nil, "\(input)")
            }
            for (input, text, pattern) in [
                ("plain", "a<\u{301}", "^[^<>]*$"), ("digits", "\u{661}\u{662}", "^\\d{2}$"),
                // A backtracking search would not end.
                ("word", String(repeating: "a", count: 5000) + "!", "^(a+)+$"),
            ] {
                let error = try connection.call("form.\(input)", "[\"\(text)\"]")["error"]
                #expect(error?["data"]?["expected"] == .string("a string that matches \(pattern)"), "\(input)")
            }
        }
        for text in [
            "A pattern of the contract is not checked", "it has a look-around",
            "/x-viewModels/form/inputs/free/schema/pattern",
        ] {
            #expect(end.log.contains(text), "\(end.log)")
        }
    }

    @Test func `members in two forms of one text are two members`() async throws {
        let text = """
            x-viewModels:
              desk:
                inputs:
                  open:
                    schema: {type: object, properties: {"\u{E9}": {type: integer}}, additionalProperties: {type: string}}
                  closed: {schema: {type: object, properties: {"\u{E9}": {type: integer}}, additionalProperties: false}}
            """
        try await withMock(text) { daemon in
            let connection = try daemon.connect()
            #expect(try connection.call("desk.open", "{\"\u{E9}\":1,\"e\u{301}\":\"a\"}")["result"] != nil)
            let other = try connection.call("desk.open", "{\"e\u{301}\":1}")["error"]?["data"]
            #expect(other?["expected"] == "a string")
            let unknown = try connection.call("desk.closed", "{\"e\u{301}\":1}")["error"]
            #expect(unknown?["code"] == .integer(-32602))
        }
    }

    @Test func `params have the form of a daemon in the contract of a mock`() async throws {
        try await withMock(Self.desk) { daemon in
            let document = try daemon.connect().call("rpc.discover")["result"]
            let desk = document?["x-viewModels"]?["desk"]
            let add = desk?["actions"]?["add"]?["params"]
            #expect(add?["properties"]?.objectValue?.keys.elementsEqual(["id", "text", "_meta"]) == true)
            #expect(add?["properties"]?["_meta"]?["properties"]?.objectValue?.keys.sorted() == ["deadline", "key"])
            #expect(add?["additionalProperties"] == false && add?["required"] == ["id", "text"])
            #expect(add?["description"] == "A note.")
            let place = desk?["inputs"]?["place"]?["schema"]
            #expect(place?["additionalProperties"] == false)
            #expect(place?["properties"]?["_meta"]?["properties"]?.objectValue?.keys.sorted() == ["key"])
            let size = json(#"{"type":"object","properties":{"size":{"type":"integer"}},"additionalProperties":false}"#)
            #expect(desk?["arguments"] == size)
            let base = json(
                #"""
                {"type":"object","properties":{"id":{"type":"integer"}},"required":["id"],"additionalProperties":false,
                "title":"Base"}
                """#
            )
            #expect(desk?["actions"]?["file"]?["params"]?["properties"]?["notes"]?["items"] == base)
            let methods = document?["methods"]?.arrayValue ?? []
            let file = methods.first { $0["name"] == "desk.file" }?["params"]
            #expect(file?.arrayValue?.map { $0["name"] } == ["notes", "_meta"])
            #expect(file?[0]?["schema"]?["items"] == base)
            let note = document?["components"]?["schemas"]?["Note"]
            #expect(note?["additionalProperties"] == nil && note?["required"] == ["id", "text"])
        }
    }

    @Test func `a component that stands at many places is hosted once`() async throws {
        func reference(_ level: Int) -> String { "{$ref: '#/components/schemas/L\(level)'}" }
        let levels = (0..<40).flatMap { level in
            let next = reference(level + 1)
            let alternative = "{$ref: '#/components/schemas/A\(level + 1)'}"
            return [
                "    L\(level): {type: object, properties: {a: \(next), b: \(next)}}",
                "    A\(level): {anyOf: [\(alternative), \(alternative)]}",
            ]
        }
        let last = ["    L40: {type: object, properties: {c: {type: integer}}}", "    A40: {type: integer}"]
        let types = """
            x-viewModels:
              tree:
                inputs: {grow: {schema: \(reference(0))}, pick: {schema: {$ref: '#/components/schemas/A0'}}}
                outputs: {grow: {schema: \(reference(0))}}
            """
        let lines = ["components:", "  schemas:"] + levels + last + [types]
        try await withMock(lines.joined(separator: "\n")) { daemon in
            let client = try daemon.connect()
            let tree = try client.call("rpc.discover", "{}")["result"]?["x-viewModels"]?["tree"]
            #expect(tree?["inputs"]?["grow"]?["schema"]?["title"] == "L0")
            #expect(try client.call("tree.grow", #"{"a":{"b":{}}}"#)["error"] == nil)
            let refused = try client.call("tree.pick", #"["x"]"#)["error"]?["data"]
            #expect(refused?["expected"] == "an integer")
        }
    }

    @Test func `a deep value is checked once against what its alternatives have in common`() async throws {
        let contract = """
            components:
              schemas:
                Node:
                  anyOf:
                    - {type: object, properties: {n: {$ref: '#/components/schemas/Node'}, x: {}}, required: [n, x]}
                    - {type: object, properties: {n: {$ref: '#/components/schemas/Node'}, y: {}}, required: [n, y]}
                    - {type: object, properties: {n: {$ref: '#/components/schemas/Node'}}}
                    - {type: object, properties: {pin: {type: string, format: password}}, required: [pin]}
                    - {type: integer}
            x-viewModels:
              tree: {inputs: {grow: {schema: {$ref: '#/components/schemas/Node'}}}}
            """
        try await withMock(contract) { daemon in
            let client = try daemon.connect()
            func nested(_ leaf: String) -> String {
                String(repeating: #"{"n":"#, count: 60) + leaf + String(repeating: "}", count: 60)
            }
            let grown = try client.call("tree.grow", #"{"value":\#(nested(#"{"pin":"4711"}"#))}"#)
            #expect(grown["error"] == nil)
            let params = try client.values("mock")?["calls"]?.arrayValue?.first?["params"]
            #expect(params == json(nested(#"{"pin":"<password>"}"#)))
            let refused = try client.call("tree.grow", #"{"value":\#(nested("true"))}"#)["error"]?["data"]
            #expect(refused?["expected"] == "an object or an integer")
        }
    }

    @Test func `the required params of a method come first, and the contract keeps its order`() async throws {
        let params = "{type: object, properties: {to: {type: integer}, from: {type: integer}}, required: [from]}"
        try await withMock("x-viewModels: {list: {actions: {move: {params: \(params)}}}}") { daemon in
            let document = try daemon.connect().call("rpc.discover", "{}")["result"]
            let method = document?["methods"]?.arrayValue?.first { $0["name"] == "list.move" }
            #expect(method?["params"]?.arrayValue?.map { $0["name"] } == ["from", "to", "_meta"])
            let declared = document?["x-viewModels"]?["list"]?["actions"]?["move"]?["params"]?["properties"]
            #expect(declared?.objectValue?.keys.elementsEqual(["to", "from", "_meta"]) == true)
        }
    }

    @Test func `an action takes its time, reports its progress, and keeps its policy`() async throws {
        try await withMock { daemon in
            let connection = try daemon.connect()
            _ = try connection.call("viewModel.bind", #"{"id":"player","outputs":["play.progress","play.executing"]}"#)
            try connection.on(#"{"member":"player.play","delay":60000,"progress":[0.25,0.5]}"#)
            connection.sendLine(#"{"jsonrpc":"2.0","id":7,"method":"player.play","params":{"id":1}}"#)
            let begun = try connection.message()["params"]?["values"]
            #expect(begun == json(#"{"play.progress":0.25,"play.executing":true}"#))
            #expect(try connection.call("player.play", #"{"id":1}"#)["error"]?["code"] == .integer(-32003))
            connection.sendLine(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"#)
            let ended = try [connection.message(), connection.message()]
            #expect(ended.contains { $0["error"]?["code"] == .integer(-32800) })
            #expect(ended.contains { $0["params"]?["values"]?["play.executing"] == .bool(false) })

            try connection.on(#"{"member":"player.play","delay":50,"progress":[0.25,0.5]}"#)
            connection.sendLine(#"{"jsonrpc":"2.0","id":8,"method":"player.play","params":{"id":1}}"#)
            var progress: [JSONValue?] = []
            while case let message = try connection.message(), message["id"] == nil {
                progress.append(message["params"]?["values"]?["play.progress"])
            }
            #expect(progress.prefix(3) == [.number("0.25"), .number("0.5"), .null])

            try connection.on(#"{"member":"player.load","call":1,"delay":50,"result":["first"]}"#)
            connection.sendLine(#"{"jsonrpc":"2.0","id":9,"method":"player.load"}"#)
            connection.sendLine(#"{"jsonrpc":"2.0","id":10,"method":"player.load"}"#)
            #expect(try connection.message() == json(#"{"jsonrpc":"2.0","id":9,"result":["first"]}"#))
            #expect(try connection.message() == json(#"{"jsonrpc":"2.0","id":10,"result":[]}"#))
        }
    }

    @Test func `outputs are set also before their instance exists, and clients get frames, patches, windows`()
        async throws
    {
        try await withMock { daemon in
            let connection = try daemon.connect()
            for (output, value) in [
                ("player.header.text", #""Before""#), ("player.title", #""Before""#), ("player.play.enabled", "false"),
            ] {
                let set = try connection.call("mock.set", #"{"output":"\#(output)","value":\#(value)}"#)
                #expect(set["result"] != nil, "\(set)")
            }
            #expect(try connection.values("player.header") == json(#"{"text":"Before"}"#))
            #expect(try connection.values("player", "title") == json(#"{"title":"Before"}"#))
            #expect(try connection.call("player.play", #"{"id":1}"#)["error"]?["code"] == .integer(-32002))

            let rows = (1...40).map { #"{"id":\#($0),"title":"Episode \#($0)"}"# }
            func set(_ rows: [String]) throws -> JSONValue? {
                connection.sendLine(
                    #"{"jsonrpc":"2.0","id":1,"method":"mock.set","params":{"output":"player.queue","value":[\#(rows.joined(separator: ","))]}}"#
                )
                let frame = try connection.message()["params"]
                #expect(try connection.message()["result"] != nil)
                return frame
            }
            _ = try connection.call("viewModel.bind", #"{"id":"player","outputs":["queue","chime"]}"#)
            _ = try set(rows)
            let patch = try set(rows.dropLast())?["patch"]
            #expect(patch == json(#"[{"op":"remove","path":"/queue/39"}]"#))
            connection.sendLine(
                #"{"jsonrpc":"2.0","id":1,"method":"mock.set","params":{"output":"player.chime","value":"ding"}}"#
            )
            #expect(try connection.message()["params"]?["events"] == json(#"[{"output":"chime","value":"ding"}]"#))
            _ = try connection.message()
            let window = try connection.call(
                "viewModel.read",
                #"{"id":"player","outputs":["queue"],"windows":{"queue":{"offset":38,"limit":5}}}"#
            )
            #expect(
                window["result"]?["values"]
                    == json(##"{"queue":{"offset":38,"count":39,"rows":[{"id":39,"title":"Episode 39"}]}}"##)
            )
        }
    }

    @Test func `sessions have scripts of their own, and a daemon of another name has mocks, too`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let file = try contract(Self.player, in: folder)
        try await withDaemon("--mock", file, of: .tallyd, folder: folder) { daemon in
            let set = #"output=player.volume value:=9"#.split(separator: " ").map(String.init)
            let desk = try await daemon.ctl(arguments: ["--session", "desk", "call", "mock.set"] + set)
            #expect(desk.status == 0, "\(desk.errors)")
            let read = try await daemon.ctl("--session", "desk", "read", "player", "volume")
            #expect(read.output == "{\"volume\":9}\n", "\(read.errors)")
            let other = try await daemon.ctl("--session", "sofa", "read", "player", "volume")
            #expect(other.output == "{\"volume\":40}\n", "\(other.errors)")
            #expect(try await daemon.ctl("read", "tally").status == 4, "its own ViewModels are not there")
            #expect(try await daemon.ctl("types").output.contains("player"))
        }
    }

    @Test(
        arguments: [
            ("x-viewModels: {}", "expected a ViewModel type"),
            ("methods: []", "expected the member x-viewModels"),
            ("x-viewModels: [a", ":2: the file is not to be read as YAML"),
            ("{\n\"x-viewModels\": {,}}", ":2: the file is not JSON"),
            (
                "x-viewModels:\n  p:\n    outputs:\n      a: {schema: {type: strin}}",
                ":4: /x-viewModels/p/outputs/a/schema/type: expected null, boolean"
            ),
            (
                """
                x-viewModels: {p: {outputs: {a: {schema: {type: array, minItems: 1000, items: {type: array, minItems: 1000,
                  items: {type: array, minItems: 1000}}}}}}}
                """,
                "give an example, because no default fits: expected an array of at least 1000 elements"
            ),
            (
                "x-viewModels:\n  p:\n    outputs:\n      a: {schema: {type: integer}, example: x}",
                ":4: /x-viewModels/p/outputs/a/example: expected an integer, found \"x\""
            ),
            ("x-viewModels: {p: {outputs: {a: {kind: list, schema: {type: string}}}}}", "required member id"),
            ("x-viewModels: {p: {outputs: {a: {kind: stat, schema: {}}}}}", "/kind: expected state, list or event"),
            ("x-viewModels: {p: {output: {}}}", "there is no member output; did you mean outputs?"),
            ("x-viewModels: {p: {outputs: {A: {schema: {}}}}}", "A is no name for a member"),
            ("x-viewModels: {rpc: {}}", "rpc is no name for a ViewModel"),
            ("x-viewModels: {mock: {}}", "a mock has a ViewModel mock of its own"),
            ("x-viewModels: {p: {children: {c: p}}}", "/children/c: p contains itself"),
            ("x-viewModels: {p: {inputs: {a: {}}, actions: {a: {}}}}", "a is also an action"),
            ("x-viewModels: {p: {actions: {a: {policy: slow}}}}", "/policy: expected exclusive"),
            (
                "x-viewModels: {p: {inputs: {a: {schema: {$ref: '#/components/schemas/No'}}}}}",
                "components.schemas has no No"
            ),
            ("x-viewModels: {p: {inputs: {a: {schema: {not: {}}}}}}", "a mock cannot check the keyword not"),
            (
                "x-viewModels: {p: {inputs: {a: {schema: {allOf: [{type: string}, {minLength: 1}]}}}}}",
                "a mock cannot check allOf of schemas that are not objects"
            ),
            (
                "x-viewModels: {p: {inputs: {a: {schema: {allOf: [{properties: {b: {type: string}}}, {minProperties: 1}]}}}}}",
                "a mock cannot check allOf with the keyword minProperties"
            ),
            (
                "x-viewModels: {p: {inputs: {a: {schema: {properties: {b: {}}, required: [c]}}}}}",
                "c is required and stands not among the properties"
            ),
            (
                "x-viewModels: {p: {inputs: {a: {schema: {type: integer, multipleOf: 0}}}}}",
                "/multipleOf: expected a number greater than 0"
            ),
            (
                "x-viewModels: {p: {outputs: {a: {schema: {type: string, pattern: '^[0-9]+$'}}}}}",
                "give an example, because no default fits"
            ),
            (
                "x-viewModels: {p: {inputs: {a: {schema: {type: string, pattern: '[a'}}}}}",
                "/pattern: expected a regular expression: a class has no ]"
            ),
            // A thousand million numbers.
            (
                "x-viewModels: {p: {outputs: {a: {schema: {type: array, minItems: 1000, items: "
                    + "{type: array, minItems: 1000, items: {type: array, minItems: 1000, items: {type: integer}}}}}}}}",
                "give an example, because no default fits"
            ),
        ]
    )
    func `a contract that cannot be hosted ends the start with 78 and names the place`(
        text: String,
        says: String
    ) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let file = try contract(text, in: folder)
        for check in [["--check-config"], []] {
            let end = try await daemonThatEnds(
                ["--mock", file, "--socket", "\(folder)/s/d.sock", "--state-directory", "\(folder)/state"] + check
            )
            #expect(end.status == 78 && end.log.contains(says) && end.log.contains(file), "\(end.log)")
        }
    }

    @Test func `the texts and numbers of a YAML contract are those of YAML 1.2`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let text = """
            x-viewModels:
              lamp:
                outputs:
                  state: {schema: {enum: [on, off, no]}}
                  time: {schema: {type: string}, example: 12:30}
                  watts: {schema: {type: number}, example: 1.50}
                  hex: {schema: {type: integer}, example: 0x1F}
                  on: {schema: {type: boolean}, example: true}
                  day: {schema: {type: string}, example: 2026-11-23}
            """
        try await withDaemon("--mock", try contract(text, in: folder), folder: folder) { daemon in
            let values = try daemon.connect().values("lamp")
            #expect(
                values
                    == json(
                        #"{"state":"on","time":"12:30","watts":1.5,"hex":31,"on":true,"day":"2026-11-23"}"#
                    )
            )
        }
    }

    @Test func `a contract that is not there is named, and a check starts nothing`() async throws {
        let end = try await daemonThatEnds("--mock", "/nonexistent.json", "--check-config")
        #expect(end.status == 78 && end.log.contains("/nonexistent.json"), "\(end.log)")
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let check = try await daemonThatEnds("--mock", try contract(Self.player, in: folder), "--check-config")
        #expect(check.status == 0 && check.log.contains("the contract can be hosted"), "\(check.log)")
    }

    @Test(arguments: ["", "# YAML\n"])
    func `the document of a daemon is a contract, and the mock's document has the same`(prefix: String) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let file = "\(folder)/contract"
        try await withDaemon("--lab", folder: folder) { daemon in
            let document = try daemon.connect().call("rpc.discover", "{}")["result"] ?? .null
            try Data((prefix + document.description).utf8).write(to: URL(fileURLWithPath: file))
        }
        let original = try #require(
            JSONValue(text: try String(contentsOfFile: file, encoding: .utf8).trimmingPrefix(prefix).description)
        )
        try await withDaemon("--mock", file, folder: folder) { daemon in
            let connection = try daemon.connect()
            let document = try connection.call("rpc.discover", "{}")["result"] ?? .null
            for (name, type) in original["x-viewModels"]?.objectValue ?? [:] {
                for (part, value) in type.objectValue ?? [:] {
                    #expect(document["x-viewModels"]?[name]?[part] == value, "\(name).\(part)")
                }
            }
            #expect(document["x-viewModels"] == original["x-viewModels"])
            #expect(document["components"] == original["components"])
            #expect(document["x-scenes"] == original["x-scenes"])
            #expect(document["info"]?["x-contract"] == original["info"]?["x-contract"])
            #expect(document["methods"] == original["methods"])
            // The options of a call are no member of the params, and bounds are checked.
            let sent = try connection.call("lab.update", #"{"id":1,"text":"a","_meta":{"key":"k"}}"#)
            #expect(sent["result"] != nil, "\(sent)")
            let refused = try connection.call("lab.append", "[10000001]")["error"]
            #expect(refused?["data"]?["expected"] == "an integer from 0 to 10000000")
        }
    }

    private func withMock(
        _ text: String = MockTests.player,
        _ body: @Sendable (TemporaryDaemon) async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let end = try await withDaemon("--mock", try contract(text, in: folder), folder: folder, body)
        #expect(end.status == 0, "\(end.log)")
    }

    private func contract(_ text: String, in folder: String) throws -> String {
        let file = "\(folder)/contract.yaml"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }
}

/// The value of a JSON text, which a test writes.
private func json(_ text: String) -> JSONValue? { JSONValue(text: text) }

extension RawConnection {
    /// Scripts the outcome of calls.
    fileprivate func on(_ plan: String) throws {
        let reply = try call("mock.on", plan)
        #expect(reply["result"] != nil, "\(reply)")
    }

    /// Reads outputs of an instance.
    fileprivate func values(_ instance: String, _ outputs: String...) throws -> JSONValue? {
        let names = outputs.isEmpty ? "" : #","outputs":["\#(outputs.joined(separator: "\",\""))"]"#
        return try call("viewModel.read", #"{"id":"\#(instance)"\#(names)}"#)["result"]?["values"]
    }
}
