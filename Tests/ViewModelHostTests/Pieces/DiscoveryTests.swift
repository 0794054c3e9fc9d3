import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `The discovery document` {
    private let document: JSONValue

    init() throws {
        document = try Daemon().connect().request("rpc.discover")
    }

    private func method(_ name: String) -> JSONValue? {
        document["methods"]?.arrayValue?.first { $0["name"] == .string(name) }
    }

    @Test func `is an OpenRPC document, which names each method once`() throws {
        #expect(document["openrpc"]?.stringValue?.hasPrefix("1.3") == true)
        #expect(document["info"]?["title"] != nil)
        #expect(document["info"]?["version"] != nil)
        let methods = try #require(document["methods"]?.arrayValue)
        #expect(Set(methods.map { $0["name"] }).count == methods.count)
        for method in methods {
            let required = method["params"]?.arrayValue?.map { $0["required"] == true } ?? []
            #expect(!zip(required, required.dropFirst()).contains { !$0 && $1 }, "required params first: \(method)")
            let codes = (method["errors"]?.arrayValue ?? []).compactMap { $0["code"]?.intValue }.filter { $0 != -32000 }
            #expect(Set(codes).count == codes.count, "each error once, except the failures of an action: \(method)")
            let keys = Set(try #require(method.objectValue).keys)
            #expect(
                keys == ["name", "summary", "description", "tags", "params", "result", "errors", "paramStructure"]
            )
            for error in try #require(method["errors"]?.arrayValue) {
                #expect(error["code"]?.intValue != nil)
                #expect(error["message"]?.stringValue?.isEmpty == false)
            }
        }
    }

    @Test func `has every input and action at its default instance, children's too`() {
        for name in [
            "board.set", "board.idle", "board.work", "echo.set", "page.title", "page.left.tap", "page.right.tap",
            "coordinator.back", "coordinator.open", "prompter.answer", "session.attach", "viewModel.bind",
            "rpc.discover", "$/cancelRequest",
        ] {
            #expect(method(name) != nil, "\(name)")
        }
        #expect(method("part.tap") == nil)
    }

    @Test func `describes params by their schemas and doc comments`() {
        let edit = method("board.edit")
        #expect(edit?["summary"] == "Changes the rows.")
        #expect(edit?["paramStructure"] == "by-name")
        #expect(edit?["params"]?.arrayValue?.map { $0["name"] } == ["kind", "index", "number", "_meta"])
        let kind = edit?["params"]?[0]?["schema"]?["$ref"]?.stringValue?.split(separator: "/").last.map(String.init)
        #expect(document["components"]?["schemas"]?[kind ?? ""]?["enum"]?.arrayValue?.count == 6)
        let put = method("board.put")
        #expect(put?["paramStructure"] == "either")
        #expect(put?["params"]?[0]?["name"] == "value")
        #expect(put?["result"]?["schema"]?["type"] == "integer")
        #expect(method("board.idle")?["params"]?.arrayValue?.map { $0["name"] } == ["_meta"])
    }

    @Test func `says executing of exclusive actions only, and the limits of a method`() {
        let codes: (String) -> [Int] = { name in
            method(name)?["errors"]?.arrayValue?.compactMap { $0["code"]?.intValue } ?? []
        }
        #expect(codes("board.work").contains(-32003))
        #expect(!codes("board.put").contains(-32003))
        #expect(codes("session.attach").contains(-32006))
    }

    @Test func `describes each type with its members`() {
        let types = document["x-viewModels"]?.objectValue ?? [:]
        #expect(
            types.keys.sorted()
                == ["board", "coordinator", "daemon", "echo", "greeter", "knot", "page", "part", "prompter", "watched"]
        )
        let board = types["board"]
        #expect(board?["description"]?.stringValue?.hasPrefix("Every kind of output") == true)
        #expect(board?["outputs"]?["rows"]?["kind"] == "list")
        #expect(board?["outputs"]?["bell"]?["kind"] == "event")
        #expect(board?["outputs"]?["value"]?["kind"] == "state")
        #expect(board?["actions"]?["parallel"]?["policy"] == "concurrent")
        #expect(types["page"]?["children"] == ["left": "part", "right": "part"])
        #expect(types["greeter"]?["arguments"]?["required"] == ["name"])
        for (name, type) in types {
            for part in ["description", "arguments", "inputs", "outputs", "actions", "children"] {
                #expect(type[part] != nil, "\(name) \(part)")
            }
        }
    }

    @Test func `says of each type whether it is built in, a child, or has an instance`() {
        let types = document["x-viewModels"]
        #expect(types?["prompter"]?["builtIn"] == true && types?["prompter"]?["child"] == nil)
        #expect(types?["board"]?["instance"] == "board" && types?["board"]?["builtIn"] == nil)
        #expect(types?["part"]?["child"] == ["page.left", "page.right"] && types?["part"]?["instance"] == nil)
    }

    @Test func `lists the scenes and the notifications, and tags the methods`() {
        let notifications = document["x-notifications"]?.arrayValue?.map { $0["name"] }
        #expect(notifications == ["viewModel.changed", "viewModel.closed", "session.closed"])
        #expect(document["x-scenes"] == [["scene": "settings", "instance": .null]])
        #expect(method("board.set")?["tags"] == [["name": "input"], ["name": "board"]])
        #expect(method("page.left.tap")?["tags"] == [["name": "input"], ["name": "part"]])
        #expect(method("board.work")?["tags"]?[0] == ["name": "action"])
        #expect(method("session.attach")?["tags"] == [["name": "protocol"]])
    }
}
