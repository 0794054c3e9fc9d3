import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@Suite struct `The schemas of the discovery document` {
    private let document: JSONValue
    private let attic: JSONValue
    private let schemas: JSONObject

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Attic.self) { _ in Attic() }
        document = try SessionHarness(catalog).connectAnonymously().request("rpc.discover")
        attic = try #require(document["x-viewModels"]?["attic"])
        schemas = try #require(document["components"]?["schemas"]?.objectValue)
    }

    private func json(_ text: String) throws -> JSONValue { try #require(JSONValue(text: text)) }

    @Test func `name each value type once, by its name in the source`() throws {
        #expect(
            schemas.keys.sorted()
                == [
                    "Book", "HealthReading.State", "Folder", "Folder.Params", "Hint", "Hint.Level", "Lending", "Level",
                    "OpenedScene", "Other.Book", "PageOfBook", "Plain", "Prompt", "Prompt.Button", "Prompt.Kind",
                    "Button.Role", "Scene", "Scene.Style", "SocketHealth", "State",
                    "StorageHealth",
                ].sorted()
        )
        #expect(
            attic["outputs"]?["books"]?["schema"]
                == (try json(##"{"type":"array","items":{"$ref":"#/components/schemas/Book"}}"##))
        )
        #expect(attic["outputs"]?["other"]?["schema"] == (try json(##"{"$ref":"#/components/schemas/Other.Book"}"##)))
        #expect(attic["outputs"]?["fell"]?["schema"] == (try json(##"{"$ref":"#/components/schemas/State"}"##)))
        #expect(
            schemas["PageOfBook"]?["properties"]?["items"]?["items"]
                == (try json(##"{"$ref":"#/components/schemas/Book"}"##))
        )
    }

    @Test func `are open for values that the daemon sends, in which all members are required`() throws {
        #expect(
            schemas["Book"]
                == (try json(
                    ##"""
                    {"type":"object","description":"A book.","properties":{
                      "id":{"type":"integer","format":"int64","description":"Counts from 1."},
                      "stars":{"type":"integer","format":"int64","description":"Its condition, as a number of stars."},
                      "state":{"$ref":"#/components/schemas/State"},
                      "note":{"anyOf":[{"type":"string"},{"type":"null"}],"description":"For people."},
                      "lending":{"anyOf":[{"$ref":"#/components/schemas/Lending"},{"type":"null"}]}},
                     "required":["id","stars","state","note","lending"]}
                    """##
                ))
        )
        for (name, schema) in schemas where name != "Folder.Params" {
            #expect("\(schema)".contains("additionalProperties") == false, "\(name)")
        }
    }

    @Test func `are closed for values that clients send, with their bounds`() throws {
        #expect(
            attic["inputs"]?["putAll"]?["schema"]?["items"]
                == (try json(
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
                ))
        )
        let turn = attic["actions"]?["turn"]?["params"]
        #expect(turn?["additionalProperties"] == false && turn?["required"] == ["degrees"] && turn?["title"] == nil)
        let degrees = try json(#"{"type":"number","format":"double","minimum":-180,"maximum":180}"#)
        #expect(turn?["properties"]?["degrees"] == degrees)
        #expect(turn?["properties"]?["words"]?["anyOf"]?[0]?["maxItems"] == 3)
        let rename = try json(#"{"type":"string","minLength":2,"maxLength":8,"pattern":"^[a-z]*$"}"#)
        #expect(attic["actions"]?["rename"]?["params"] == rename)
    }

    @Test func `have a closed component for a type that contains itself`() throws {
        #expect(schemas["Folder"]?["required"] == ["name", "folders", "note"])
        #expect(
            schemas["Folder"]?["properties"]?["folders"]?["items"]
                == (try json(##"{"$ref":"#/components/schemas/Folder"}"##))
        )
        let reference = try json(##"{"$ref":"#/components/schemas/Folder.Params"}"##)
        #expect(attic["inputs"]?["file"]?["schema"]?["properties"]?["folders"]?["items"] == reference)
        let params = schemas["Folder.Params"]
        #expect(params?["properties"]?["folders"]?["items"] == reference && params?["title"] == "Folder")
        #expect(params?["required"] == ["name", "folders"] && params?["additionalProperties"] == false)
        #expect(params?["properties"]?["name"]?["maxLength"] == 3)
    }

    @Test func `have formats`() throws {
        let plain = schemas["Plain"]?["properties"]
        for (name, expected) in [
            ("date", #"{"type":"string","format":"date-time"}"#),
            ("data", #"{"type":"string","format":"byte","contentEncoding":"base64"}"#),
            ("id", #"{"type":"string","format":"uuid"}"#),
            ("link", #"{"anyOf":[{"type":"string","format":"uri"},{"type":"null"}]}"#),
            ("price", #"{"type":"string","format":"decimal"}"#),
            ("ratio", #"{"type":"number","format":"double"}"#),
            ("int", #"{"type":"integer","format":"int64"}"#),
            ("uint", #"{"type":"integer","format":"uint64","minimum":0}"#),
            ("byte", #"{"type":"integer","minimum":0,"maximum":255}"#),
        ] {
            #expect(plain?[name] == (try json(expected)), "\(name)")
        }
        let secret = attic["inputs"]?["hide"]?["schema"]?["properties"]?["password"]
        #expect(secret == (try json(#"{"type":"string","format":"password","writeOnly":true,"minLength":8}"#)))
    }

    @Test func `have the names and descriptions of cases beside the values`() throws {
        #expect(
            schemas["State"]
                == (try json(
                    #"""
                    {"type":"string","enum":["present","out"],"description":"Whether a book is there.",
                     "oneOf":[{"const":"present","description":"On a shelf."},{"const":"out","title":"lent"}]}
                    """#
                ))
        )
        #expect(
            schemas["Level"]
                == (try json(
                    #"""
                    {"type":"integer","enum":[1,2],
                     "oneOf":[{"const":1,"title":"low"},{"const":2,"title":"high","description":"As high as can be."}]}
                    """#
                ))
        )
    }

    @Test func `list the outputs of actions after the declared ones, as the wire has them`() throws {
        let client = try SessionHarness(catalog()).connectAnonymously()
        let values = try #require(try client.request("viewModel.bind", ["id": "attic"])["values"]?.objectValue)
        let outputs = try #require(attic["outputs"]?.objectValue)
        #expect(
            outputs["turn.enabled"]
                == (try json(
                    #"{"kind":"state","schema":{"type":"boolean"},"description":"Whether `turn` can be called."}"#
                ))
        )
        #expect(outputs["rename.progress"]?["schema"]?["anyOf"]?[0]?["type"] == "number")
        #expect(outputs.keys.filter { $0 != "fell" } == Array(values.keys))
        #expect(Array(outputs.keys.prefix(3)) == ["name", "level", "last"])
    }

    private func catalog() throws -> ViewModelCatalog {
        var catalog = ViewModelCatalog()
        try catalog.host(Attic.self) { _ in Attic() }
        return catalog
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
}

@Suite struct `Bounds that the author declared` {
    private let client: TestClient

    init() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Attic.self) { _ in Attic() }
        client = SessionHarness(catalog).connectAnonymously()
    }

    @Test(arguments: [
        ("attic.put", #"{"id":1,"stars":6,"state":"out"}"#, "/stars", "an integer from 1 to 5", "6"),
        (
            "attic.put", #"{"id":1,"stars":5,"state":"out","lending":{"name":""}}"#, "/lending/name",
            "a string of at least 1 character", ""
        ),
        ("attic.putAll", #"[[{"id":1,"stars":0,"state":"out"}]]"#, "/0/0/stars", "an integer from 1 to 5", "0"),
        (
            "attic.file", #"{"name":"a","folders":[{"name":"long","folders":[]}]}"#, "/folders/0/name",
            "a string of at most 3 characters", "\"long\""
        ),
        ("attic.turn", #"{"degrees":181,"_meta":{"key":"a"}}"#, "/degrees", "a number from -180 to 180", "not shown"),
        ("attic.turn", #"{"degrees":0,"words":[]}"#, "/words", "an array of 1 to 3 elements", "not shown"),
        ("attic.rename", #"{"value":"A2"}"#, "/value", "a string of 2 to 8 characters that matches ^[a-z]*$", "\"A2\""),
        ("attic.rename", #"["a"]"#, "/0", "a string of 2 to 8 characters that matches ^[a-z]*$", "\"a\""),
        (
            "attic.hide", #"{"password":"short"}"#, "/password", "a string of at least 8 characters",
            "something that is not shown"
        ),
    ])
    func `are enforced`(method: String, params: String, path: String, expected: String, found: String) throws {
        let value = JSONValue(text: params)
        let error = try #require(throws: ProtocolError.self) { try client.request(method, value) }
        #expect(error.code == .invalidParams)
        #expect(error.data?["path"] == .string(path) && error.data?["expected"] == .string(expected))
        #expect(error.data?["found"]?.stringValue?.hasSuffix(found) == true, "\(error)")
    }

    @Test func `admit what is within`() throws {
        _ = try client.request("attic.put", ["id": 1, "stars": 5, "state": "out"])
        _ = try client.request("attic.turn", ["degrees": -180])
        #expect(try client.request("attic.rename", ["abc"]) == 3)
        _ = try client.request("attic.hide", ["password": "long enough"])
        #expect(
            try client.request("viewModel.read", ["id": "attic", "outputs": ["last"]])["values"]?["last"]?["stars"] == 5
        )
    }
}
