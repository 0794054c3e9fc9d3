import Testing
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
            return watch.match(in: update)?.value(in: update)
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
}
