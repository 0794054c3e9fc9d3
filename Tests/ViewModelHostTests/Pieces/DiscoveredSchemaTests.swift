import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@testable import Scenarios
@testable import ViewModelHost

@Suite struct `The schemas of the discovery document` {
    private let client: TestClient
    private let document: JSONValue
    private let attic: JSONValue
    private let schemas: JSONObject

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Attic.self) { _ in Attic() }
        client = SessionHarness(catalog).connectAnonymously()
        document = try client.request("rpc.discover")
        attic = try #require(document["x-viewModels"]?["attic"])
        schemas = try #require(document["components"]?["schemas"]?.objectValue)
    }

    /// Expects a JSON text at a place below the attic, or below the components.
    private func expect(_ place: String, _ text: String) throws {
        let path = place.split(separator: "/").map(String.init)
        let root: JSONValue = path[0] == "schemas" ? ["schemas": .object(schemas)] : attic
        let found = path.reduce(Optional(root)) { value, name in Int(name).map { value?[$0] } ?? value?[name] }
        let wanted = JSONValue(text: text)
        #expect(wanted != nil && found == wanted, "\(place)")
    }

    @Test func `name each value type once, by its name in the source`() throws {
        let names = [
            "Book", "HealthReading.State", "Folder", "Folder.Params", "Hint", "Hint.Level", "Lending", "Level",
            "OpenedScene", "Other.Book", "PageOfBook", "Plain", "Prompt", "Prompt.Button", "Prompt.Kind",
            "Button.Role", "Scene", "Scene.Style", "SocketHealth", "State", "StorageHealth", "UnreadValue",
        ]
        #expect(schemas.keys.sorted() == names.sorted())
        try expect("outputs/books/schema", ##"{"type":"array","items":{"$ref":"#/components/schemas/Book"}}"##)
        try expect("outputs/other/schema", ##"{"$ref":"#/components/schemas/Other.Book"}"##)
        try expect("outputs/fell/schema", ##"{"$ref":"#/components/schemas/State"}"##)
        try expect("schemas/PageOfBook/properties/items/items", ##"{"$ref":"#/components/schemas/Book"}"##)
    }

    @Test func `are open for values that the daemon sends, in which all members are required`() throws {
        try expect(
            "schemas/Book",
            ##"""
            {"type":"object","description":"A book.","properties":{
              "id":{"type":"integer","format":"int64","description":"Counts from 1."},
              "stars":{"type":"integer","format":"int64","description":"Its condition, as a number of stars."},
              "state":{"$ref":"#/components/schemas/State"},
              "note":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"For people."},
              "lending":{"anyOf":[{"$ref":"#/components/schemas/Lending"},{"type":"null"}]}},
             "required":["id","stars","state","note","lending"]}
            """##
        )
        for (name, schema) in schemas where name != "Folder.Params" {
            #expect("\(schema)".contains("additionalProperties") == false, "\(name)")
        }
    }

    @Test func `are closed for values that clients send, with their bounds`() throws {
        try expect(
            "inputs/putAll/schema/items",
            ##"""
            {"type":"object","title":"Book","description":"A book.","properties":{
              "id":{"type":"integer","format":"int64","description":"Counts from 1."},
              "stars":{"type":"integer","format":"int64","minimum":1,"maximum":5,
                       "description":"Its condition, as a number of stars."},
              "state":{"$ref":"#/components/schemas/State"},
              "note":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"For people."},
              "lending":{"anyOf":[{"type":"object","title":"Lending","description":"Who has a book.","properties":{
                 "name":{"type":"string","minLength":1},
                 "since":{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}]}},
                 "required":["name"],"additionalProperties":false},{"type":"null"}]}},
             "required":["id","stars","state"],"additionalProperties":false}
            """##
        )
        let turn = attic["actions"]?["turn"]?["params"]
        #expect(turn?["additionalProperties"] == false && turn?["required"] == ["degrees"] && turn?["title"] == nil)
        let turnParams = "actions/turn/params/properties"
        try expect("\(turnParams)/degrees", #"{"type":"number","format":"double","minimum":-180,"maximum":180}"#)
        try expect("\(turnParams)/words/anyOf/0/maxItems", "3")
        let rename = #"{"type":"string","minLength":2,"maxLength":8,"pattern":"^[a-z]*$"}"#
        try expect("actions/rename/params", rename)
        let secret = #"{"type":"string","format":"password","writeOnly":true,"minLength":8}"#
        try expect("inputs/hide/schema/properties/password", secret)
    }

    @Test func `have a closed component for a type that contains itself`() throws {
        let reference = ##"{"$ref":"#/components/schemas/Folder.Params"}"##
        try expect("schemas/Folder/required", #"["name","folders","note"]"#)
        try expect("schemas/Folder/properties/folders/items", ##"{"$ref":"#/components/schemas/Folder"}"##)
        try expect("inputs/file/schema/properties/folders/items", reference)
        try expect("schemas/Folder.Params/properties/folders/items", reference)
        try expect("schemas/Folder.Params/title", #""Folder""#)
        try expect("schemas/Folder.Params/required", #"["name","folders"]"#)
        try expect("schemas/Folder.Params/additionalProperties", "false")
        try expect("schemas/Folder.Params/properties/name/maxLength", "3")
    }

    @Test(arguments: [
        ("date", #"{"type":"string","format":"date-time"}"#),
        ("data", #"{"type":"string","format":"byte","contentEncoding":"base64"}"#),
        ("id", #"{"type":"string","format":"uuid"}"#),
        ("link", #"{"anyOf":[{"type":"string","format":"uri"},{"type":"null"}]}"#),
        ("price", #"{"type":"string","format":"decimal"}"#),
        ("ratio", #"{"type":"number","format":"double"}"#),
        ("int", #"{"type":"integer","format":"int64"}"#),
        ("uint", #"{"type":"integer","format":"uint64","minimum":0}"#),
        ("byte", #"{"type":"integer","minimum":0,"maximum":255}"#),
    ])
    func `have formats`(name: String, schema: String) throws {
        try expect("schemas/Plain/properties/\(name)", schema)
    }

    @Test func `have the names and descriptions of cases beside the values`() throws {
        try expect(
            "schemas/State",
            #"""
            {"type":"string","enum":["present","out"],"description":"Whether a book is there.",
             "oneOf":[{"const":"present","description":"On a shelf."},{"const":"out","title":"lent"}]}
            """#
        )
        try expect(
            "schemas/Level",
            #"""
            {"type":"integer","enum":[1,2],
             "oneOf":[{"const":1,"title":"low"},{"const":2,"title":"high","description":"As high as can be."}]}
            """#
        )
    }

    @Test func `list the outputs of actions after the declared ones, as the wire has them`() throws {
        let values = try #require(try client.request("viewModel.bind", ["id": "attic"])["values"]?.objectValue)
        let outputs = try #require(attic["outputs"]?.objectValue)
        let enabled = #"{"kind":"state","schema":{"type":"boolean"},"description":"Whether `turn` can be called."}"#
        try expect("outputs/turn.enabled", enabled)
        try expect("outputs/rename.progress/schema/anyOf/0/type", #""number""#)
        #expect(outputs.keys.filter { $0 != "fell" } == Array(values.keys))
        #expect(Array(outputs.keys.prefix(3)) == ["name", "level", "last"])
    }

    @Test func `say which inputs are fields`() {
        #expect(attic["inputs"]?["name"]?["field"] == true)
        #expect(attic["inputs"]?["put"]?["field"] == nil)
    }

    @Test func `describe the options of calls`() {
        let put = attic["inputs"]?["put"]?["schema"]
        #expect(put?["properties"]?["_meta"]?["properties"]?.objectValue?.keys.sorted() == ["key"])
        #expect(put?["required"]?.arrayValue?.contains("_meta") == false)
        let turn = attic["actions"]?["turn"]?["params"]?["properties"]?["_meta"]
        #expect(turn?["properties"]?.objectValue?.keys.sorted() == ["deadline", "key"])
        let methods = document["methods"]?.arrayValue ?? []
        for method in methods {
            let name = method["name"]?.stringValue ?? ""
            let options = method["params"]?.arrayValue?.first { $0["name"] == "_meta" }
            let isMember = method["tags"]?[0]?["name"] != "protocol"
            #expect((options != nil) == isMember, "\(name)")
            #expect(options == nil || options?["required"] == false)
        }
    }

    /// A type of 30 levels, of which each contains the next one twice.
    @Test(.timeLimit(.minutes(1))) func `describe a type once that stands at many places`() {
        func twice<Part: Schemable>(_: Part.Type) -> any Schemable.Type { Twice<Part>.self }
        var type: any Schemable.Type = Int.self
        for _ in 0..<30 { type = twice(type) }
        let schema = Schema.of(type)
        var document = SchemaDocument()
        #expect(document.sent(schema)["$ref"] != nil)
        #expect(document.definitions.count == 30)
        #expect(document.received(schema)["additionalProperties"] == false)
        #expect(document.definitions.count < 60)
        #expect(document.definitions.allSatisfy { $0.1.text.count < 1_000_000 })
    }
}

private struct Twice<Part: Schemable>: Schemable {
    var first, second: Part
    static var schema: Schema { .object([.init("first", .of(Part.self)), .init("second", .of(Part.self))]) }
}
