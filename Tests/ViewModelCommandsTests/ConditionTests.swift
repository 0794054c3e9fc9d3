import Testing
import ViewModelContract
import ViewModelProtocol

@testable import ViewModelClient
@testable import ViewModelCommands

@Suite struct ConditionTests {
    private func update(_ values: JSONObject, events: [OutputEvent] = []) -> BindingUpdate {
        BindingUpdate(
            picture: Picture(id: "lab", epoch: "e", seq: 5, values: values),
            change: Picture.Change(outputs: Set(values.keys), events: events),
            isFull: false
        )
    }

    /// Returns the results of updates in which the output `x` has these values.
    private func results(_ condition: String, _ values: [String]) throws -> [JSONValue?] {
        var watch = ConditionWatch(try Condition(parsing: condition))
        return try values.map { value in
            let update = update(["x": try #require(JSONValue(text: value))])
            return watch.match(in: update)?(update)
        }
    }

    @Test(arguments: [
        ("x=5", "5", true), ("x=5", "5.0", true), ("x=5", "6", false), ("x=15", #""15""#, true),
        (#"x="15""#, #""15""#, true), ("x=", #""""#, true), ("x=null", "null", true), ("x=null", "{}", false),
        (#"x={"b":1,"a":[]}"#, #"{"a":[],"b":1}"#, true), ("x=a=b", #""a=b""#, true),
        ("x!=5", "5.0", false), ("x!=5", "6", true), ("x!=a", #""a""#, false),
        ("x/0/text=milk", #"[{"text":"milk"}]"#, true), ("x/0/text=milk", "[]", false),
        ("x/0/text!=milk", "[]", true), ("x/a~1b=1", #"{"a/b":1}"#, true), ("x/0/text=null", "[]", false),
    ])
    func `a value is compared as JSON, or as a text`(condition: String, value: String, isFulfilled: Bool) throws {
        #expect(try (results(condition, [value])[0] != nil) == isFulfilled)
    }

    @Test func `a text is compared by its code points`() throws {
        #expect(try results("x=\u{E9}", ["\"e\u{301}\"", "\"\u{E9}\""]) == [nil, .string("\u{E9}")])
        #expect(try results("x!=\u{E9}", ["\"\u{E9}\"", "\"e\u{301}\""]) == [nil, .string("e\u{301}")])
        #expect(try results("x=\u{301}a", ["\"\u{301}a\""]) == [.string("\u{301}a")])
        #expect(try results("x/\u{301}=1", ["{\"\u{301}\":1}"]) == [.integer(1)])
        #expect(try results("x", ["\"\u{E9}\"", "\"e\u{301}\""]) == [nil, .string("e\u{301}")])
    }

    @Test func `a change is a value that differs from the first one`() throws {
        #expect(try results("x", ["1", "1.0", "2"]) == [nil, nil, .integer(2)])
        #expect(try results("x/a", [#"{"a":1,"b":1}"#, #"{"a":1,"b":2}"#, "{}"]) == [nil, nil, .null])
    }

    @Test func `an event counts as a change, and is compared`() throws {
        let event = OutputEvent(output: "x", value: .string("ding"))
        for (condition, isFulfilled) in [("x", true), ("x=ding", true), ("x=dong", false), ("x!=dong", true)] {
            var watch = ConditionWatch(try Condition(parsing: condition))
            #expect((watch.match(in: update([:], events: [event])) != nil) == isFulfilled)
        }
    }

    @Test(arguments: [
        ("flag=maybe", "expected true or false, found \"maybe\"", nil),
        ("flag=True", "expected true or false, found \"True\"", "Did you mean true?"),
        ("flag=null", "expected true or false, found \"null\"", nil),
        ("colour=gren", "expected one of red green, found \"gren\"", "Did you mean green?"),
        ("colour!=gren", "expected one of red green, found \"gren\"", "Did you mean green?"),
        ("count=11", "expected an integer from 0 to 10, found 11", nil),
        ("count=1.5", "expected an integer, found 1.5", nil),
        ("count==5", "expected an integer, found \"=5\"", "One = is enough"),
        ("maybe=x", "expected a number, found \"x\"", nil),
        ("rows/0/txt=a", "rows has no /0/txt: no such member; one of id, text", "Did you mean text?"),
        ("rows/0/id=a", "expected an integer, found \"a\"", nil),
        ("rows/x=a", "rows has no /x: no such member", nil),
        ("rows/0/txt", "rows has no /0/txt: no such member; one of id, text", "Did you mean text?"),
    ])
    func `a value that the type excludes cannot come`(_ condition: String, _ text: String, _ remedy: String?) throws {
        let problem = try #require(try problem(condition))
        #expect(problem.text == text && problem.remedy == remedy)
    }

    @Test(arguments: [
        "flag=true", "colour=red", "colour=\"red\"", "count=5", "count=5.0", "maybe=null", "maybe=0.5", "word=5",
        "word==5", "rows=[]", "rows/0/text=5", "rows/0/id=7", "open/a/b=5", "count",
    ])
    func `a value of the type, and one of which the contract says nothing, may come`(condition: String) throws {
        #expect(try problem(condition) == nil)
    }

    private func problem(_ text: String) throws -> (text: String, remedy: String?)? {
        let condition = try Condition(parsing: text)
        let schemas = """
            {"flag": {"type": "boolean"}, "colour": {"enum": ["red", "green"]}, "word": {"type": "string"}, "open": {},
             "count": {"type": "integer", "minimum": 0, "maximum": 10}, "maybe": {"type": ["number", "null"]},
             "rows": {"type": "array", "items": {"type": "object", "required": ["id"], "additionalProperties": false,
                      "properties": {"id": {"type": "integer"}, "text": {"type": "string"}}}}}
            """
        let outputs = try #require(JSONValue(text: schemas)?.objectValue).map { name, schema in
            (name, JSONValue.object(["schema": schema]))
        }
        let type = JSONValue.object(["outputs": .object(JSONObject(outputs))])
        let contract = Contract(ofDaemon: .object(["x-viewModels": .object(["x": type])]))
        let output = try #require(contract.type("x")?.outputs.first { $0.name == condition.output })
        return condition.problem(output.schema, in: contract.components)
    }
}
