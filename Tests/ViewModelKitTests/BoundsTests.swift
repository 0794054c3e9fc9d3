import JSONRPC
import Testing
import ViewModelContract

@testable import ViewModelKit

@Suite struct `The check of bounds` {
    private func refusal(of text: String, _ schema: Schema) throws -> InvalidValue? {
        let check = try #require(ValueCheck(of: schema))
        let value = try #require(JSONValue(text: text))
        do throws(ValueMismatch) {
            try check.check(value)
            return nil
        } catch {
            return InvalidValue(error)
        }
    }

    @Test(arguments: [
        ("5", true), ("1", true), ("9", true), ("0", false), ("10", false), ("1e1", false), ("9.0", true),
    ])
    func `admits integers in the range`(text: String, isAdmitted: Bool) throws {
        let refusal = try refusal(of: text, Schema.of(Int.self).bounded(.init(1...9)))
        #expect((refusal == nil) == isAdmitted)
        if let refusal { #expect(refusal.expected == "an integer from 1 to 9" && refusal.path == "") }
    }

    /// A schema, a value, and what is expected in its place; nil if it is admitted.
    private let rows: [(Schema, String, String?)] = [
        (.of(Int.self).bounded(.init(1...)), "0", "an integer of 1 or more"),
        (.of(Int.self).bounded(.init(...5)), "6", "an integer of at most 5"),
        (.of(Int.self).bounded(.init(0..<5)), "5", "an integer from 0 to 4"),
        (.of(Int.self).bounded(.init(0.5...)), "0", "an integer of 0.5 or more"),
        (.number.bounded(.init(0...0.5)), "0.6", "a number from 0 to 0.5"),
        (.number.bounded(.init(0...0.5)), "0.5", nil),
        (.number.bounded(.init(0...Double.greatestFiniteMagnitude)), "5", nil),
        (.number.bounded(.init(0...1e35)), "2e35", "a number from 0 to 1e+35"),
        (.of(Int.self).bounded(.init(0...1e35)), "5", nil),
        (.string().bounded(.init(-1...3)), #""abc""#, nil),
        (.string(format: "decimal").bounded(.init(0...5)), #""10""#, "a number from 0 to 5"),
        (.string(format: "decimal").bounded(.init(0...5)), #""4.5""#, nil),
        // Two scalars.
        (.string().bounded(.init(2...3)), "\"e\u{301}\"", nil),
        // One scalar of two bytes, and one of two code units in UTF-16.
        (.string().bounded(.init(2...3)), "\"\u{E9}\"", "a string of 2 to 3 characters"),
        (.string().bounded(.init(2...)), "\"\u{1D11E}\"", "a string of at least 2 characters"),
        (.string().bounded(.init(2...3)), #""a""#, "a string of 2 to 3 characters"),
        (.string().bounded(.init(1...)), #""""#, "a string of at least 1 character"),
        (.string().bounded(.init(...5, matching: "^[a-z]+$")), #""abc""#, nil),
        (
            .string().bounded(.init(...5, matching: "^[a-z]+$")), #""aBc""#,
            "a string of at most 5 characters that matches ^[a-z]+$"
        ),
        (.array(.boolean).bounded(.init(1...1)), "[]", "an array of 1 element"),
        (
            .of(Int.self).bounded(.init(0..<0)), "0",
            "no value, because the schema has a fault: minimum is greater than maximum"
        ),
    ]

    @Test func `names the bounds of numbers, money, characters and elements`() throws {
        for (schema, text, expected) in rows {
            #expect(try refusal(of: text, schema)?.expected == expected, "\(text)")
        }
    }

    @Test func `searches a pattern in code points, in a time that the text and the pattern bound`() throws {
        let plain = Schema.string().bounded(.init(matching: "^[^<>]*$"))
        #expect(try refusal(of: "\"a\u{301}\"", plain) == nil)
        #expect(try refusal(of: "\"<\u{301}\"", plain)?.expected == "a string that matches ^[^<>]*$")
        let digits = Schema.string().bounded(.init(matching: #"^\d+$"#))
        #expect(try refusal(of: "\"\u{661}\"", digits) != nil, "ASCII only")
        // A backtracking search would not end.
        let many = String(repeating: "a", count: 20_000) + "!"
        #expect(try refusal(of: "\"\(many)\"", Schema.string().bounded(.init(matching: "^(a+)+$"))) != nil)
        let large = Schema.string().bounded(.init(matching: "a{500}|!"))
        #expect(try refusal(of: "\"\(many)\"", large) == nil)
        let longer = many + many
        #expect(
            try refusal(of: "\"\(longer)\"", large)?.expected
                == "a string of at most 33288 characters that matches a{500}|!"
        )
    }

    @Test func `finds bounds in objects, lists, dictionaries and cases, and names the place`() throws {
        #expect(try refusal(of: #"{"count":3,"tags":["a"],"table":{"x":1}}"#, .of(Crate.self)) == nil)
        #expect(try refusal(of: #"{"count":100,"tags":[]}"#, .of(Crate.self))?.path == "/count")
        #expect(
            try refusal(of: #"[{"count":1,"tags":[]},{"count":0,"tags":[]}]"#, .of([Crate].self))?.path == "/1/count"
        )
        #expect(try refusal(of: #"{"a/b":{"count":0,"tags":[]}}"#, .of([String: Crate].self))?.path == "/a~1b/count")
        #expect(try refusal(of: #"{"one":{"_0":{"count":0,"tags":[]}}}"#, .of(Choice.self))?.path == "/one/_0/count")
        #expect(try refusal(of: #"{"none":{}}"#, .of(Choice.self)) == nil)
        #expect(
            try refusal(of: #"{"size":1,"next":{"size":1,"next":{"size":7}}}"#, .of(Link.self))?.path
                == "/next/next/size"
        )
        #expect(try refusal(of: #"{"size":1,"next":null}"#, .of(Link.self)) == nil)
    }

    @Test(arguments: [
        (#"{"kind":"box","size":10}"#, nil), (#"{"kind":"box","size":11}"#, "/size"),
        (#"{"kind":"van","size":11}"#, nil), (#"{"kind":"van","size":101}"#, "/size"),
        ("7", nil), ("8", "/"), (#""abc""#, nil), (#""abcd""#, "/"), ("true", nil), ("null", nil),
        // No alternative describes it.
        (#"{"kind":"ship","size":1}"#, "/"),
    ])
    func `applies the bounds of the alternative that a value fits`(text: String, path: String?) throws {
        func load(_ kind: String, _ most: Int) -> Schema {
            .object([.init("kind", .enumeration([kind])), .init("size", .integer().bounded(.init(0...most)))])
        }
        let schema = Schema.anyOf([
            load("box", 10), load("van", 100), .integer().bounded(.init(...7)), .string().bounded(.init(...3)),
            .boolean, .null,
        ])
        #expect(try refusal(of: text, schema).map { $0.path.isEmpty ? "/" : $0.path } == path)
    }

    @Test func `admits a value that one of several fitting alternatives admits`() throws {
        let schema = Schema.anyOf([.integer().bounded(.init(0...9)), .number.bounded(.init(100...))])
        #expect(try refusal(of: "5", schema) == nil)
        #expect(try refusal(of: "100", schema) == nil)
        #expect(try refusal(of: "50", schema)?.expected == "an integer from 0 to 9")
        #expect(try refusal(of: "1.5", schema)?.expected == "a number of 100 or more")
        #expect(try refusal(of: "50", .anyOf([.integer().bounded(.init(0...9)), .number])) == nil)
    }

    @Test func `is not there for a schema without bounds`() {
        #expect(ValueCheck(of: .of([Tree].self)) == nil)
        #expect(ValueCheck(of: .of(Int.self)) == nil)
        #expect(ValueCheck(of: .any) == nil)
    }

    @Test func `knows the range of a plain integer`() {
        #expect(ValueCheck(of: Schema.of(Int.self).bounded(.init(1...9)))?.integers == 1...9)
        #expect(ValueCheck(of: Schema.of(Int.self).bounded(.init(1...)))?.integers == 1...Int.max)
        #expect(ValueCheck(of: .of(Crate.self))?.integers == nil)
        #expect(ValueCheck(of: Schema.of(Int.self).bounded(.init(0.5...)))?.integers == 1...Int.max)
    }
}

@Suite struct `The name of a type in a contract` {
    struct Inner<Value> {}

    @Test func `is that of the source, with that of the enclosing type`() {
        #expect(SchemaName.simple(Crate.self) == ("Crate", nil))
        #expect(SchemaName.simple(Outer.Crate.self) == ("Crate", "Outer"))
        #expect(SchemaName.simple(Outer.Page<Outer.Crate>.self) == ("PageOfCrate", "Outer"))
        #expect(
            SchemaName.simple(Outer.Page<[String: Int?]>.self) == ("PageOfDictionaryOfStringAndOptionalOfInt", "Outer")
        )
        #expect(SchemaName.simple(Outer.Page<Bool>.Row.self) == ("Row", "PageOfBool"))
        #expect(SchemaName.simple(Inner<Int>.self).name == "InnerOfInt")
        let enclosing = SchemaName.simple(Inner<Int>.self).enclosing ?? ""
        #expect(enclosing == "The_name_of_a_type_in_a_contract")
    }
}

@Schemable
private struct Crate {
    @Bounds(1...99) var count: Int
    var tags: [String]
    var table: [String: Int]?
}

@Schemable
private enum Choice { case one(Crate), none }

@Schemable
private struct Link {
    @Bounds(...5) var size: Int
    var next: [Link]?

    static var schema: Schema {
        .object([
            .init("size", .of(Int.self).bounded(.init(...5))),
            .init("next", .optional(.of(Link.self)), required: false),
        ])
    }
}

@Schemable
private struct Tree { var children: [Tree] }

private enum Outer {
    struct Crate {}
    struct Page<Value> { struct Row {} }
}
