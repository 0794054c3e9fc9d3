import Foundation
import TestSupport
import Testing
import ViewModelProtocol
import ViewModelTesting

/// `--mock CONTRACT` over a real socket.
@Suite(.timeLimit(.minutes(5))) struct MockTests {
    private let folder = TemporaryFolder()

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

    @Test(arguments: ["", "# YAML\n"])
    func `the mock of a daemon's own contract has that contract, byte for byte`(prefix: String) async throws {
        let file = "\(folder)/contract"
        try await withDaemon("--lab") { daemon in
            let contract = try await daemon.ctl("rpc", "rpc.discover")
            try folder.write(prefix + contract.output, to: "contract")
        }
        let end = try await withDaemon("--mock", file) { daemon in
            let contract = try await daemon.ctl("rpc", "rpc.discover")
            let original = try folder.read("contract").trimmingPrefix(prefix)
            #expect(prefix.isEmpty ? contract.output == original : json(contract.output) == json(String(original)))
            try daemon.connect().expect(
                ##"""
                calculator.press ["x"] =! {"path":"/0","expected":"one of 0 1 2 3 4 5 6 7 8 9 . + - * / =",
                    "found":"\"x\""}
                lab.sleep {"milliseconds":1.5} =! -32602
                lab.update {"id":1,"text":"a","_meta":{"key":"k"}} => _
                lab.append [10000001] =! "an integer from 0 to 10000000"
                """##
            )
            #expect(!FileManager.default.fileExists(atPath: daemon.state), "a mock keeps nothing")
        }
        #expect(end.status == 0, "\(end.log)")
    }

    @Test func `outputs have examples or values of their types, and fields follow their inputs`() async throws {
        try await withMock { daemon in
            try daemon.connect().expect(
                #"""
                reads player {"volume":40,"mode":"once","title":null,"since":"1970-01-01T00:00:00Z","play.enabled":true,
                    "queue":[{"id":1,"title":"One"},{"id":2,"title":"Two","heard":true}]}
                reads player.header {"text":"Hello"}
                player.volume [7.0] => _
                player.mode ["repeat"] => _
                reads player {"volume":7,"mode":"repeat"}
                player.stop => _
                player.load => []
                coordinator.open {"scene":"settings"} => _
                """#
            )
        }
    }

    @Test func `a value that the contract does not allow is refused`() async throws {
        try await withMock { daemon in
            try daemon.connect().expect(
                #"""
                player.volume [101] =! {"path":"/0","expected":"an integer from 0 to 100","found":"101"}
                player.volume {"value":"loud"} =! {"path":"/value","expected":"an integer","found":"\"loud\""}
                player.mode ["twice"] =! {"path":"/0","expected":"one of once repeat","found":"\"twice\""}
                player.play =! {"path":"/id","expected":"an integer","found":"nothing"}
                player.play {"id":1,"x":2} =!
                    {"path":"/x","expected":"no such member; only id","found":"2","suggestions":[]}
                player.play {"ids":1} =!
                    {"path":"/ids","expected":"no such member; only id","found":"1","suggestions":["id"]}
                player.play {"id":1.5} =! {"path":"/id","expected":"an integer","found":"1.5"}
                player.stop [1] =! {"path":"/0","expected":"no params","found":"something that is not shown"}
                mock.set {"output":"player.queue","value":[{"id":1,"title":""}]} =!
                    {"path":"/value/0/title","expected":"a string of at least 1 character","found":"\"\""}
                mock.set {"output":"player.queue","value":[{"id":1,"title":"a"},{"id":1,"title":"b"}]} =!
                    {"path":"/value","expected":"rows with different ids","found":"two rows of one id"}
                mock.on {"member":"player.play","failure":{"error":"unknown","details":{"ids":["a"]}}} =!
                    {"path":"/failure/details/ids/0","expected":"an integer","found":"\"a\""}
                mock.on {"member":"player.play","result":{"id":1}} =!
                    {"path":"/result/title","expected":"a string of at least 1 character","found":"nothing"}
                mock.on {"member":"player.play","delay":-1} =!
                    {"path":"/delay","expected":"milliseconds from 0 to 86400000","found":"-1"}
                """#
            )
        }
    }

    @Test func `outcomes, the n-th call, failures and their details are scripted, and calls are listed`() async throws {
        try await withMock { daemon in
            let connection = try daemon.connect()
            try connection.expect(#"mock.on {"member":"player.play","failure":{"error":"offline"}} => _"#)
            let offline = try connection.call("player.play", #"{"id":1}"#)["error"]
            #expect(offline?["message"] == "There is no network." && offline?["code"] == .integer(-32000))
            try connection.expect(
                #"""
                mock.on {"member":"player.play","call":2,"result":{"id":9,"title":"Nine"},
                    "set":{"player.title":"Nine"}} => _
                mock.on {"member":"player.play","call":3,
                    "failure":{"error":"unknown","details":{"ids":[4]},"retryable":true}} => _
                player.play {"id":2} => {"id":9,"title":"Nine"}
                reads player {"title":"Nine"}
                player.play {"id":3} =! {"error":"unknown","details":{"ids":[4]},"retryable":true}
                player.play {"id":4,"_meta":{"key":"k"}} =! {"error":"offline","details":null,"retryable":true}
                player.login {"user":"ada","password":"secret"} => _
                mock.on {"member":"player.volume","call":1,"refusal":{"expected":"a quieter one","found":"50"}} => _
                player.volume [50] =! {"path":"/0","expected":"a quieter one","found":"50"}
                """#
            )
            let calls = try connection.values("mock")?["calls"]?.arrayValue ?? []
            #expect(calls.map { $0["call"] } == [1, 2, 3, 4, 1, 1].map(JSONValue.integer))
            #expect(calls[3]["params"] == json(#"{"id":4}"#), "without the options of the call")
            let params = #"{"user":"ada","password":"<password>"}"#
            #expect(calls[4] == json(#"{"id":5,"member":"player.login","call":1,"params":\#(params)}"#))
            try connection.expect(
                #"""
                mock.reset => _
                reads mock {"calls":[]}
                reads player {"title":null}
                player.play {"id":1} => {"id":1,"title":"One"}
                mock.on {"member":"player.play","failure":{"error":"ofline"}} =!
                    {"path":"/failure/error","expected":"one of offline, unknown","found":"\"ofline\"",
                    "suggestions":["offline"]}
                mock.on {"member":"player.load","failure":{"error":"jammed","details":{"tries":3}}} => _
                player.load =! {"error":"jammed","details":{"tries":3},"retryable":false}
                """#
            )
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
            try daemon.connect().expect(
                #"""
                reads desk {"note":{"id":0,"text":""}}
                desk.step [10] => _
                desk.price [19.99] => _
                desk.price [1e2] => _
                desk.price [-0.070] => _
                desk.tags {"first":"a","b":"c"} => _
                desk.add {"id":1,"text":"a"} => _
                desk.step [7] =! "an integer, a multiple of 5"
                desk.price [0.015] =! "a number, a multiple of 0.01"
                desk.tags {"first":"a","b":"c","d":"e"} =! "an object of at most 2 members"
                desk.tags {"b":"c"} =! "a string"
                desk.add {"id":1} =! "a string"
                desk.add {"id":1,"text":"a","x":1} =! "no such member; one of id, text"
                """#
            )
        }
    }

    @Test func `patterns are those of JSON Schema, the log names one that is not checked, and forms of texts differ`()
        async throws
    {
        let text = """
            x-viewModels:
              form:
                inputs:
                  plain: {schema: {type: string, pattern: '^[^<>]*$'}}
                  digits: {schema: {type: string, pattern: '^\\d{2}$'}}
                  word: {schema: {type: string, pattern: '^(a+)+$'}}
                  free: {schema: {type: string, pattern: '^(?!no)'}}
                  open:
                    schema: {type: object, properties: {"\u{E9}": {type: integer}}, additionalProperties: {type: string}}
                  closed: {schema: {type: object, properties: {"\u{E9}": {type: integer}}, additionalProperties: false}}
            """
        let file = try folder.write(text, to: "contract.yaml")
        let end = try await withDaemon("--mock", file, folder: folder) { daemon in
            // A backtracking search for the word would not end.
            try daemon.connect().expect(
                """
                form.plain ["a\u{301}"] => _
                form.digits ["12"] => _
                form.word ["aa"] => _
                form.free ["no"] => _
                form.plain ["a<\u{301}"] =! "a string that matches ^[^<>]*$"
                form.digits ["\u{661}\u{662}"] =! "a string that matches ^\\\\d{2}$"
                form.word ["\(String(repeating: "a", count: 5000))!"] =! "a string that matches ^(a+)+$"
                form.open {"\u{E9}":1,"e\u{301}":"a"} => _
                form.open {"e\u{301}":1} =! "a string"
                form.closed {"e\u{301}":1} =! -32602
                """
            )
        }
        for text in [
            "A pattern of the contract is not checked", "it has a look-around",
            "/x-viewModels/form/inputs/free/schema/pattern",
        ] {
            #expect(end.log.contains(text), "\(end.log)")
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
            try client.expect(
                """
                tree.grow {"a":{"b":{}}} => _
                tree.pick ["x"] =! "an integer"
                """
            )
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
              tree:
                inputs:
                  grow: {schema: {$ref: '#/components/schemas/Node'}}
                  growAll: {schema: {type: array, items: {$ref: '#/components/schemas/Node'}}}
            """
        try await withMock(contract) { daemon in
            let client = try daemon.connect()
            func nested(_ leaf: String) -> String {
                String(repeating: #"{"n":"#, count: 60) + leaf + String(repeating: "}", count: 60)
            }
            try client.expect(
                #"""
                tree.grow {"value":\#(nested(#"{"pin":"4711"}"#))} => _
                tree.growAll [[{"pin":"4711"},7]] => _
                tree.grow {"value":\#(nested("true"))} =! "an object or an integer"
                """#
            )
            let calls = try client.values("mock")?["calls"]?.arrayValue ?? []
            #expect(calls.first?["params"] == json(nested(#"{"pin":"<password>"}"#)))
            #expect(calls.dropFirst().first?["params"] == json(#"[{"pin":"<password>"},7]"#))
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

    @Test func `the newest thousand calls are listed`() async throws {
        try await withMock { daemon in
            let connection = try daemon.connect()
            for _ in 0...1000 { _ = try connection.call("player.stop") }
            let calls = try connection.values("mock")?["calls"]?.arrayValue
            #expect(calls?.count == 1000 && calls?.first?["id"] == .integer(2))
        }
    }

    @Test func `an action takes its time, reports its progress, and keeps its policy`() async throws {
        try await withMock { daemon in
            let connection = try daemon.connect()
            _ = try connection.call("viewModel.bind", #"{"id":"player","outputs":["play.progress","play.executing"]}"#)
            try connection.expect(#"mock.on {"member":"player.play","delay":60000,"progress":[0.25,0.5]} => _"#)
            connection.sendLine(#"{"jsonrpc":"2.0","id":7,"method":"player.play","params":{"id":1}}"#)
            let begun = try connection.message()["params"]?["values"]
            #expect(begun == json(#"{"play.progress":0.25,"play.executing":true}"#))
            try connection.expect(#"player.play {"id":1} =! -32003"#)
            connection.sendLine(#"{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":7}}"#)
            let ended = try [connection.message(), connection.message()]
            #expect(ended.contains { $0["error"]?["code"] == .integer(-32800) })
            #expect(ended.contains { $0["params"]?["values"]?["play.executing"] == .bool(false) })

            try connection.expect(#"mock.on {"member":"player.play","delay":50,"progress":[0.25,0.5]} => _"#)
            connection.sendLine(#"{"jsonrpc":"2.0","id":8,"method":"player.play","params":{"id":1}}"#)
            var progress: [JSONValue?] = []
            while case let message = try connection.message(), message["id"] == nil {
                progress.append(message["params"]?["values"]?["play.progress"])
            }
            #expect(progress.prefix(3) == [.number("0.25"), .number("0.5"), .null])

            try connection.expect(#"mock.on {"member":"player.load","call":1,"delay":50,"result":["first"]} => _"#)
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
            try connection.expect(
                """
                mock.set {"output":"player.header.text","value":"Before"} => _
                mock.set {"output":"player.title","value":"Before"} => _
                mock.set {"output":"player.play.enabled","value":false} => _
                reads player.header {"text":"Before"}
                reads player {"title":"Before"}
                player.play {"id":1} =! -32002
                """
            )
            func set(_ output: String, _ value: String) throws -> JSONValue? {
                let params = #"{"output":"player.\#(output)","value":\#(value)}"#
                connection.sendLine(#"{"jsonrpc":"2.0","id":1,"method":"mock.set","params":\#(params)}"#)
                let frame = try connection.message()["params"]
                #expect(try connection.message()["result"] != nil)
                return frame
            }
            let rows = (1...40).map { #"{"id":\#($0),"title":"Episode \#($0)"}"# }
            _ = try connection.call("viewModel.bind", #"{"id":"player","outputs":["queue","chime"]}"#)
            _ = try set("queue", "[\(rows.joined(separator: ","))]")
            let patch = try set("queue", "[\(rows.dropLast().joined(separator: ","))]")?["patch"]
            #expect(patch == json(#"[{"op":"remove","path":"/queue/39"}]"#))
            #expect(try set("chime", #""ding""#)?["events"] == json(#"[{"output":"chime","value":"ding"}]"#))
            let window = #"{"id":"player","outputs":["queue"],"windows":{"queue":{"offset":38,"limit":5}}}"#
            let shown = #"{"queue":{"offset":38,"count":39,"rows":[{"id":39,"title":"Episode 39"}]}}"#
            #expect(try connection.call("viewModel.read", window)["result"]?["values"] == json(shown))
        }
    }

    @Test func `sessions have scripts of their own, and a daemon of another name has mocks, too`() async throws {
        let file = try folder.write(Self.player, to: "contract.yaml")
        try await withDaemon("--mock", file, of: .tallyd, folder: folder) { daemon in
            let set = ["--session", "desk", "call", "mock.set", "output=player.volume", "value:=9"]
            #expect(try await daemon.ctl(arguments: set).status == 0)
            for (session, volume) in [("desk", 9), ("sofa", 40)] {
                let read = try await daemon.ctl("--session", session, "read", "player", "volume")
                #expect(read.output == "{\"volume\":\(volume)}\n", "\(read.errors)")
            }
            #expect(try await daemon.ctl("read", "tally").status == 4, "its own ViewModels are not there")
            #expect(try await daemon.ctl("types").output.contains("player"))
        }
    }

    private static let thousands = "{type: array, minItems: 1000, items: "

    /// Contracts that cannot be hosted, and what is said of them.
    private static let contracts = [
        ("x-viewModels: {}", "expected a ViewModel type"),
        ("methods: []", "expected the member x-viewModels"),
        ("x-viewModels: [a", ":2: the file is not to be read as YAML"),
        ("{\n\"x-viewModels\": {,}}", ":2: the file is not JSON"),
        (
            "x-viewModels:\n  p:\n    outputs:\n      a: {schema: {type: strin}}",
            ":4: /x-viewModels/p/outputs/a/schema/type: expected null, boolean"
        ),
        (
            "x-viewModels:\n  p:\n    outputs:\n      a: {schema: {type: integer}, example: x}",
            ":4: /x-viewModels/p/outputs/a/example: expected an integer, found \"x\""
        ),
        ("x-viewModels: {rpc: {}}", "rpc is no name for a ViewModel"),
        ("x-viewModels: {mock: {}}", "a mock has a ViewModel mock of its own"),
    ]

    /// Types that cannot be hosted, the schemas of outputs and of inputs that cannot, and what is said of them.
    private static let types = [
        ("outputs: {a: {kind: list, schema: {type: string}}}", "required member id"),
        ("outputs: {a: {kind: stat, schema: {}}}", "/kind: expected state, list or event"),
        ("output: {}", "there is no member output; did you mean outputs?"),
        ("events: {}", "/events: there is no member events; there are description, arguments, inputs"),
        ("actions: {a: {progress: true}}", "/actions/a/progress: there is no member progress; there are params"),
        ("inputs: {a: {schema: {type: string}, field: true}}", "/inputs/a/field: a field needs an output a"),
        ("actions: {a: {params: {id: {type: integer}}}}", "/actions/a/params: expected the schema of an object"),
        ("outputs: {A: {schema: {}}}", "A is no name for a member"),
        ("children: {c: p}", "/children/c: p contains itself"),
        ("inputs: {a: {}}, actions: {a: {}}", "a is also an action"),
        ("actions: {a: {policy: slow}}", "/policy: expected exclusive"),
    ]
    private static let outputs = [
        (
            thousands + thousands + "{type: array, minItems: 1000}}}",
            "give an example, because no default fits: expected an array of at least 1000 elements"
        ),
        // A thousand million numbers.
        (thousands + thousands + thousands + "{type: integer}}}}", "give an example, because no default fits"),
        ("{type: string, pattern: '^[0-9]+$'}", "give an example, because no default fits"),
    ]
    private static let inputs = [
        ("{$ref: '#/components/schemas/No'}", "components.schemas has no No"),
        ("{not: {}}", "a mock cannot check the keyword not"),
        ("{allOf: [{type: string}, {minLength: 1}]}", "a mock cannot check allOf of schemas that are not objects"),
        (
            "{allOf: [{properties: {b: {type: string}}}, {minProperties: 1}]}",
            "a mock cannot check allOf with the keyword minProperties"
        ),
        ("{properties: {b: {}}, required: [c]}", "c is required and stands not among the properties"),
        ("{type: integer, multipleOf: 0}", "/multipleOf: expected a number greater than 0"),
        ("{type: string, pattern: '[a'}", "/pattern: expected a regular expression: a class has no ]"),
    ]

    private static let unhosted: [(String, String)] = {
        let ofOutputs = outputs.map { ("outputs: {a: {schema: \($0)}}", $1) }
        let ofInputs = inputs.map { ("inputs: {a: {schema: \($0)}}", $1) }
        return contracts + (types + ofOutputs + ofInputs).map { ("x-viewModels: {p: {\($0)}}", $1) }
    }()

    @Test(arguments: unhosted)
    func `a contract that cannot be hosted ends a check with 78 and names the place`(
        text: String,
        says: String
    ) async throws {
        let file = try folder.write(text, to: "contract.yaml")
        let end = try await daemonThatEnds(["--mock", file, "--check-config"] + folder.places)
        #expect(end.status == 78 && end.log.contains(says) && end.log.contains(file), "\(end.log)")
    }

    @Test(arguments: [contracts[0], contracts[4], contracts[7]])
    func `a contract that cannot be hosted ends the start, too`(text: String, says: String) async throws {
        let file = try folder.write(text, to: "contract.yaml")
        let end = try await daemonThatEnds(["--mock", file] + folder.places)
        #expect(end.status == 78 && end.log.contains(says) && end.log.contains(file), "\(end.log)")
    }

    @Test func `the texts and numbers of a YAML contract are those of YAML 1.2`() async throws {
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
        try await withMock(text) { daemon in
            try daemon.connect().expect(
                #"reads lamp {"state":"on","time":"12:30","watts":1.5,"hex":31,"on":true,"day":"2026-11-23"}"#
            )
        }
    }

    @Test func `a contract that is not there is named, and a check starts nothing`() async throws {
        let end = try await daemonThatEnds("--mock", "/nonexistent.json", "--check-config")
        #expect(end.status == 78 && end.log.contains("/nonexistent.json"), "\(end.log)")
        let file = try folder.write(Self.player, to: "contract.yaml")
        let check = try await daemonThatEnds("--mock", file, "--check-config")
        #expect(check.status == 0 && check.log.contains("the contract can be hosted"), "\(check.log)")
    }

    private func withMock(
        _ text: String = MockTests.player,
        _ body: @Sendable (TemporaryDaemon) async throws -> Void
    ) async throws {
        let file = try folder.write(text, to: "contract.yaml")
        let end = try await withDaemon("--mock", file, folder: folder, body)
        #expect(end.status == 0, "\(end.log)")
    }
}

/// The value of a JSON text, which a test writes.
private func json(_ text: String) -> JSONValue? { JSONValue(text: text) }

extension RawConnection {
    /// Sends the requests of a table, and expects their replies.
    ///
    /// A line is `METHOD PARAMS => RESULT`, `METHOD PARAMS =! DATA` with the data of the error, its code, or the text of
    /// what was expected, or `reads INSTANCE VALUES`. `_` is any result. A line with blanks in front continues the one
    /// above.
    fileprivate func expect(_ table: String) throws {
        for line in table.replacing("\n    ", with: " ").split(separator: "\n") {
            if let match = line.wholeMatch(of: /reads (\S+) (.*)/) {
                let values = try #require(json(String(match.2)), "\(line)")
                let names = values.objectValue?.map { JSONValue.string($0.key) } ?? []
                #expect(try self.values(String(match.1), names) == values, "\(line)")
                continue
            }
            let match = try #require(line.wholeMatch(of: /(\S+) ?(.*?) (=>|=!) (.*)/), "\(line)")
            let reply = try call(String(match.1), match.2.isEmpty ? "{}" : String(match.2))
            let isResult = match.3 == "=>"
            let found = isResult ? reply["result"] : reply["error"]?["data"]
            if match.4 == "_" {
                #expect(found != nil, "\(line): \(reply)")
                continue
            }
            let wanted = try #require(json(String(match.4)), "\(line)")
            switch wanted {
            case .number where !isResult: #expect(reply["error"]?["code"] == wanted, "\(line): \(reply)")
            case .string where !isResult: #expect(found?["expected"] == wanted, "\(line): \(reply)")
            default: #expect(found == wanted, "\(line): \(reply)")
            }
        }
    }

    /// Reads outputs of an instance, or all of them.
    fileprivate func values(_ instance: String, _ outputs: [JSONValue] = []) throws -> JSONValue? {
        let names = outputs.isEmpty ? "" : #","outputs":\#(JSONValue.array(outputs))"#
        return try call("viewModel.read", #"{"id":"\#(instance)"\#(names)}"#)["result"]?["values"]
    }
}
