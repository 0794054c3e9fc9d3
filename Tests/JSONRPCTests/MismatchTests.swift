import JSONRPC
import Testing

@Suite struct `Mismatches` {
    static let text38 = String(repeating: "x", count: 38)

    @Test(arguments: [
        ("1.5", "an integer", "1.5"), (#""1""#, "an integer", #""1""#), ("true", "an integer", "true"),
        ("null", "an integer", "null"),
        ("[ 1,\n2 ]", "an integer", "[1,2]"), ("{}", "an integer", "{}"), ("1e-1", "an integer", "1e-1"),
        ("9223372036854775808", "an integer from -9223372036854775808 to 9223372036854775807", "9223372036854775808"),
        ("1e30", "an integer from -9223372036854775808 to 9223372036854775807", "1e30"),
        ("\"\(text38)\"", "an integer", "\"\(text38)\""), ("\"\(text38)y\"", "an integer", "\"\(text38)y…"),
        (#""a b\"\u00e9\/\u0001""#, "an integer", #""a b\"é/\u0001""#),
        (#"{ "a" : [ null , "b" ] }"#, "an integer", #"{"a":[null,"b"]}"#),
        (
            String(repeating: "[", count: 50) + String(repeating: "]", count: 50), "an integer",
            String(repeating: "[", count: 40) + "…"
        ),
    ])
    func `of an integer`(_ text: String, _ expected: String, _ found: String) {
        expectMismatch(Int.self, text, at: "", expected, found: found)
        expectMismatch([Int].self, "[0, \(text) ]", at: "/1", expected, found: found)
        expectMismatch([String: Int].self, #"{"a/~b":\#(text)}"#, at: "/a~1~0b", expected, found: found)
    }

    @Test func `of narrower integers`() {
        expectMismatch(UInt8.self, "256", at: "", "an integer from 0 to 255", found: "256")
        expectMismatch([UInt].self, "[-1]", at: "/0", "an integer from 0 to 18446744073709551615", found: "-1")
    }

    @Test func `of other scalars`() {
        expectMismatch(String.self, "1", at: "", "a string", found: "1")
        expectMismatch(Bool.self, "0", at: "", "true or false", found: "0")
        expectMismatch(Double.self, "[]", at: "", "a number", found: "[]")
        expectMismatch([Int].self, "{}", at: "", "an array", found: "{}")
        expectMismatch([Int: Int].self, "3", at: "", "an object", found: "3")
        expectMismatch(Window.self, "null", at: "", "an object", found: "null")
    }

    @Test(arguments: ["1e400", "-1e400", "123456789e310"])
    func `of a number that becomes infinite`(_ text: String) {
        expectMismatch([Double].self, "[\(text)]", at: "/0", "a number within the range of a Double", found: text)
        #expect(mismatch(Float.self, "1e39")?.expected == "a number within the range of a Float")
    }

    @Test func `a missing member's path is its own`() {
        expectMismatch(Window.self, "{}", at: "/offset", "an integer", found: "nothing")
        expectMismatch(
            Bind.self,
            #"{"id":"a","windows":{"rows":{"limit":1}}}"#,
            at: "/windows/rows/offset",
            "an integer",
            found: "nothing"
        )
        expectMismatch([Bind].self, "[{}]", at: "/0/id", "a string", found: "nothing")
    }

    @Test func `null for what is not optional is a mismatch`() {
        expectMismatch(Window.self, #"{"offset":null}"#, at: "/offset", "an integer", found: "null")
    }

    @Test func `paths go down, and begin with the prefix`() {
        let text = #"{"id":"a","windows":{"rows":{"offset":0,"limit":"1"}}}"#
        expectMismatch(Bind.self, text, path: "/value", at: "/value/windows/rows/limit", "an integer", found: #""1""#)
        #expect(mismatch(Bind.self, #"{"id":"a","outputs":["x",2]}"#)?.path == "/outputs/1")
    }

    @Test func `an enum tells its raw values`() {
        let keys = "one of 1 + *"
        expectMismatch(Key.self, #""x""#, at: "", keys, found: #""x""#)
        expectMismatch(Key?.self, #""x""#, at: "", keys, found: #""x""#)
        expectMismatch([Key?].self, #"[null,"%"]"#, at: "/1", keys, found: #""%""#)
        #expect(mismatch([String: [Key]].self, #"{"a":["y"]}"#)?.path == "/a/0")
        expectMismatch(Key.self, "1", at: "", keys, found: "1")
        expectMismatch(Level.self, "2", at: "", "one of 1 10", found: "2")
        struct Press: Decodable {
            var key: Key
            var level: Level?
        }
        expectMismatch(Press.self, "{}", at: "/key", keys, found: "nothing")
        #expect(mismatch(Press.self, #"{"key":"1","level":"x"}"#)?.expected == "one of 1 10")
    }

    @Test(arguments: ["\"e\u{301}\"", #""e\u0301""#, #""\u212A""#])
    func `an enum is not a text that only looks like its raw value`(text: String) throws {
        enum Letter: String, Decodable { case e = "\u{E9}", k = "K" }
        #expect(mismatch(Letter.self, text)?.found.isEmpty == false)
        #expect(mismatch([Letter?].self, "[\(text)]")?.path == "/0")
        #expect(try decode([Letter].self, #"["\u00e9","\u004B"]"#) == [.e, .k])
    }

    @Test func `a dictionary has no two names that differ only in their form`() throws {
        let text = "{\"\u{E9}\":1,\"e\u{301}\":2}"
        #expect(mismatch([String: Int].self, text)?.expected.hasPrefix("an object whose names differ") == true)
        #expect(mismatch([[String: Int]].self, "[\(text)]")?.path == "/0")
        #expect(try decode([String: Int].self, "{\"\u{E9}\":1,\"\u{E8}\":2}").count == 2)
        #expect(try decode([String: Int].self, "{\"\u{E9}\":1,\"\u{E9}\":2}") == ["\u{E9}": 2])
    }

    @Test func `an enum with associated values`() {
        #expect(mismatch(Shape.self, #"{"circle":{"radius":"1"}}"#)?.path == "/circle/radius")
        #expect(mismatch(Shape.self, #"{"line":{"_0":1,"to":["?"]}}"#)?.expected == "one of 1 + *")
        #expect(mismatch(Shape.self, #"{"square":{}}"#) != nil)
        #expect(mismatch(Shape.self, "{}") != nil)
        #expect(mismatch(Shape.self, #"{"point":{},"circle":{"radius":1}}"#) != nil)
    }
}

@Suite struct `Members that nobody asked for` {
    @Test func `are told with those that were`() throws {
        let wrong = try #require(mismatch(Window.self, #"{"offset":1,"limti":"2"}"#))
        #expect(wrong.path == "/limti")
        #expect(wrong.expected == "no such member; one of offset, limit")
        #expect(wrong.found == #""2""#)
        let unknown = UnknownMember(name: "limti", object: "", found: #""2""#, known: ["offset", "limit"])
        #expect(wrong.unknown == unknown)
        let none = try #require(mismatch(Empty.self, #"{"a":{}}"#))
        #expect(none.path == "/a")
        #expect(none.expected == "no such member")
        #expect(none.found == "{}")
    }

    @Test(arguments: [
        (#"{"ofset":1}"#, "", "ofset", "1", ["offset"]), (#"{"limit":1,"o":2,"p":3}"#, "", "o", "2", ["offset"]),
        (#"{"limit":1}"#, "", nil, "", []), ("{}", "", nil, "", []), (#"{"offset":null,"o":2}"#, "", nil, "", []),
    ])
    func `may be the reason for a missing one`(
        _ text: String,
        _ object: String,
        _ name: String?,
        _ found: String,
        _ known: [String]
    ) throws {
        let unknown = name.map { UnknownMember(name: $0, object: object, found: found, known: known) }
        let wrong = try #require(mismatch(Window.self, text))
        #expect(wrong.unknown == unknown)
        #expect(wrong.path == "/offset")
        let inner = try #require(mismatch(Bind.self, #"{"id":"a","windows":{"r/s":\#(text)}}"#))
        #expect(inner.unknown?.path == unknown.map { "/windows/r~1s/\($0.name)" })
    }

    @Test(arguments: [
        (#"{"id":"a","windows":{"rows":{"offset":0,"x/y":1}}}"#, "/windows/rows/x~1y"), (#"{"id":"a","é":[]}"#, "/é"),
        (#"{"\u0061":1,"id":"a"}"#, "/a"), (#"{"id":"a","":1}"#, "/"),
    ])
    func `are found at any depth`(_ text: String, _ path: String) {
        #expect(mismatch(Bind.self, text)?.path == path)
        #expect(mismatch([Bind?].self, "[null,\(text)]")?.path == "/1" + path)
        #expect(mismatch([String: Bind].self, #"{"k":\#(text)}"#)?.path == "/k" + path)
    }

    @Test func `are found in nested containers and behind super`() {
        #expect(mismatch(Dog.self, #"{"name":"a","super":{"legs":1,"arms":2}}"#)?.path == "/super/arms")
        #expect(mismatch(Dog.self, #"{"name":"a","super":{"legs":1},"age":2}"#)?.path == "/age")
        #expect(mismatch(Shape.self, #"{"circle":{"radius":1,"colour":2}}"#)?.path == "/circle/colour")
        #expect(mismatch(Shape.self, #"{"point":{"x":1}}"#)?.path == "/point/x")
        #expect(mismatch(Shape.self, #"{"point":{},"sqare":1}"#)?.path == "/sqare")
    }

    @Test func `are found among many`() {
        let text = "{" + (0..<100).map { #""k\#($0)":\#($0)"# }.joined(separator: ",") + #","offset":1}"#
        #expect(mismatch(Window.self, text)?.path == "/k0")
    }

    @Test func `may be ignored at the top, and only there`() throws {
        #expect(try decode(Window.self, #"{"_meta":{"x":1},"offset":1}"#, ignoring: ["_meta"]) == Window(offset: 1))
        #expect(try decode(Window?.self, #"{"\u005fmeta":1,"offset":1}"#, ignoring: ["_meta"]) == Window(offset: 1))
        #expect(try decode([String: Int].self, #"{"_meta":{},"a":1}"#, ignoring: ["_meta"]) == ["a": 1])
        #expect(try decode(Empty.self, #"{"_meta":{}}"#, ignoring: ["_meta"]) == Empty())
        #expect(
            mismatch([String: Window].self, #"{"a":{"offset":1,"_meta":1}}"#, ignoring: ["_meta"])?.path == "/a/_meta"
        )
    }

    @Test func `are none to a type that looks at its value as a whole`() throws {
        struct Twice: Decodable {
            var window: Window
            var members: [String: Int]
            init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                window = try container.decode(Window.self)
                members = try container.decode([String: Int].self)
            }
        }
        #expect(try decode(Twice.self, #"{"offset":1,"limit":2}"#).members == ["offset": 1, "limit": 2])
        #expect(try decode(Verbatim.self, #"{"a":1}"#).text == #"{"a":1}"#)
    }

    @Test func `are none to one of two types that share an object`() throws {
        struct Page: Decodable {
            var window: Window
            var title: String
            enum CodingKeys: CodingKey { case title }
            init(from decoder: any Decoder) throws {
                window = try Window(from: decoder)
                title = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .title)
            }
        }
        #expect(try decode(Page.self, #"{"offset":1,"title":"a"}"#).title == "a")
        #expect(
            mismatch(Page.self, #"{"offset":1,"title":"a","x":1}"#)?.expected
                == "no such member; one of offset, title, limit"
        )
    }
}

@Suite struct `Errors of hand-written types` {
    struct Even: Decodable {
        var value: Int
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            value = try container.decode(Int.self)
            if value % 2 != 0 {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "an even number")
            }
        }
    }

    struct Range: Decodable {
        enum CodingKeys: CodingKey { case from, to }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let from = try container.decode(Int.self, forKey: .from)
            guard try container.decode(Int.self, forKey: .to) >= from else {
                throw DecodingError.dataCorruptedError(forKey: .to, in: container, debugDescription: "at least \(from)")
            }
        }
    }

    struct Missing: Decodable {
        init(from decoder: any Decoder) throws {
            throw DecodingError.keyNotFound(AnyKey(stringValue: "a"), .init(codingPath: [], debugDescription: "no a"))
        }
    }

    struct Wrong: Decodable {
        init(from decoder: any Decoder) throws {
            throw DecodingError.typeMismatch(
                String.self,
                .init(codingPath: decoder.codingPath, debugDescription: "wrong")
            )
        }
    }

    struct Own: Decodable {
        init(from decoder: any Decoder) throws {
            throw ValueMismatch(path: "/x", expected: "more", found: "less")
        }
    }

    struct Other: Decodable, Error {
        init(from decoder: any Decoder) throws { throw Unexpected() }
    }

    @Test func `a type's own text is the cause, which clients do not get`() {
        expectMismatch([String: Even].self, #"{"a":3}"#, at: "/a", "another value", found: "3", cause: "an even number")
        expectMismatch([Even?].self, #"[2,"x"]"#, at: "/1", "an integer", found: #""x""#)
    }

    @Test func `a path inside of the value is kept`() {
        expectMismatch(
            [Range].self,
            #"[{"from":3,"to":1}]"#,
            path: "/p",
            at: "/p/0/to",
            "another value",
            found: "1",
            cause: "at least 3"
        )
    }

    @Test func `every kind of error has a place`() {
        expectMismatch([Missing].self, "[{}]", at: "/0/a", "a value", found: "nothing")
        expectMismatch([Wrong].self, "[1]", at: "/0", "a string", found: "1")
        expectMismatch([Own].self, "[1]", at: "/0/x", "more", found: "less")
        expectMismatch([Other].self, "[[]]", at: "/0", "another value", found: "[]", cause: "Unexpected()")
    }

    @Test func `a type may catch what Codable types expect to catch`() throws {
        struct Lenient: Decodable {
            var offset: Int
            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: AnyKey.self)
                do {
                    offset = try container.decode(Int.self, forKey: AnyKey(stringValue: "offset"))
                } catch DecodingError.keyNotFound {
                    offset = -1
                } catch DecodingError.typeMismatch {
                    offset = -2
                } catch DecodingError.valueNotFound {
                    offset = -3
                }
            }
        }
        #expect(try decode(Lenient.self, "{}").offset == -1)
        #expect(try decode(Lenient.self, #"{"offset":""}"#).offset == -2)
        #expect(try decode(Lenient.self, #"{"offset":null}"#).offset == -3)
    }
}
