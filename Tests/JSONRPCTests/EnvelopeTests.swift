import JSONRPC
import Testing

@Suite struct `Reading an envelope` {
    /// The examples of the JSON-RPC 2.0 specification, section 7, and others.
    @Test(
        arguments: [
            (#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#, .request, "1", "[42, 23]"),
            (#"{"jsonrpc": "2.0", "method": "subtract", "params": {"a": 2}, "id": 3}"#, .request, "3", #"{"a": 2}"#),
            (#"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#, .notification, nil, "[1,2,3,4,5]"),
            (#"{"jsonrpc": "2.0", "method": "foobar"}"#, .notification, nil, nil),
            (#"{"jsonrpc": "2.0", "result": 19, "id": 1}"#, .reply, "1", nil),
            (#"{"jsonrpc": "2.0", "error": {"code": 1, "message": "x"}, "id": null}"#, .reply, "null", nil),
            (#"{"jsonrpc": "2.0", "id": 1, "method": "a", "result": 1}"#, .request, "1", nil),
        ] as [(String, Envelope.Kind, String?, String?)]
    )
    func `a message has a kind, an id and params`(text: String, kind: Envelope.Kind, id: String?, params: String?)
        throws
    {
        let envelope = try envelope(text)
        #expect(envelope.kind == kind)
        #expect(part(text, envelope.id) == id)
        #expect(part(text, envelope.params) == params)
    }

    @Test(
        arguments: [
            (#"{"jsonrpc":"2.0","id":1}"#, .method, "1"), ("[]", .notAnObject, nil),
            (#"{"id":1,"method":"a"}"#, .jsonrpc, "1"),
            (#"{"jsonrpc":2.0,"id":1,"method":"a"}"#, .jsonrpc, "1"),
            (#"{"jsonrpc":"2.1","id":"a","method":"a"}"#, .jsonrpc, #""a""#),
            (#"{"jsonrpc":"2.00","id":1,"method":"a"}"#, .jsonrpc, "1"),
            (#"{"jsonrpc":null,"id":1,"method":"a"}"#, .jsonrpc, "1"),
            (#"{"jsonrpc":[10],"id":1,"method":"a"}"#, .jsonrpc, "1"),
            (#"{"JSONRPC":"2.0","id":1,"method":"a"}"#, .jsonrpc, "1"),
            (#"{"jsonrpc":"2.0","id":1,"Method":"a"}"#, .method, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":null}"#, .method, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":["a"]}"#, .method, "1"),
            (#"{"jsonrpc":"2.0","id":null,"method":"a","params":null}"#, .params, "null"),
            (#"{"jsonrpc":"2.0","id":1,"method":"a","params":"bar"}"#, .params, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"a","params":true}"#, .params, "1"),
            (#"{"jsonrpc":"2.0","method":"a","params":null}"#, .params, nil),
            (#"{"jsonrpc":"2.0","id":true,"method":"a"}"#, .id, nil),
            (#"{"jsonrpc":"2.0","id":false,"method":"a"}"#, .id, nil),
            (#"{"jsonrpc":"2.0","id":[1],"method":"a"}"#, .id, nil),
            (#"{"jsonrpc":"2.0","id":{},"method":"a"}"#, .id, nil),
            (#"{"jsonrpc":"2.0","id":false,"method":1}"#, .method, nil),
            ("{}", .jsonrpc, nil), ("1", .notAnObject, nil), ("null", .notAnObject, nil), (#""x""#, .notAnObject, nil),
            ("true", .notAnObject, nil), ("-1.5", .notAnObject, nil),
        ] as [(String, InvalidReason, String?)]
    )
    func `what is no request tells why, and keeps its id`(_ text: String, _ reason: InvalidReason, _ id: String?) throws
    {
        let envelope = try envelope(text)
        #expect(envelope.kind == .invalid(reason))
        #expect(part(text, envelope.id) == id)
    }

    @Test(
        arguments: [
            (#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":1,"method":"a"}"#, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"a","method":"a"}"#, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"a","params":[1],"params":[1]}"#, "1"),
            (#"{"jsonrpc":"2.0","method":"a","params":[1],"params":[2]}"#, nil),
            (#"{"jsonrpc":"2.0","id":1,"method":"b","\u006dethod":"a"}"#, "1"),
            (#"{"jsonrpc":"2.0","id":1,"method":"a","m\u0065thod":1}"#, "1"),
        ] as [(String, String?)]
    )
    func `a doubled member is refused`(_ text: String, _ id: String?) throws {
        let envelope = try envelope(text)
        #expect(envelope.kind == .invalid(.duplicateMember))
        #expect(part(text, envelope.id) == id)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"id":2,"method":"a"}"#, #"{"jsonrpc":"2.0","id":1,"id":1,"method":"a"}"#,
        #"{"jsonrpc":"2.0","id":1,"\u0069d":1,"method":"a"}"#, #"{"id":true,"jsonrpc":"2.0","id":1,"method":"a"}"#,
    ])
    func `a doubled id is answered with null`(_ text: String) throws {
        let envelope = try envelope(text)
        #expect(envelope.kind == .invalid(.duplicateMember))
        #expect(envelope.id == nil)
    }

    @Test func `names compare after unescaping`() throws {
        let text =
            #"{"\u006a\u0073onrpc":"\u0032.0","\u0069\u0064":7,"\u006dethod":"l\u0061b","p\u0061rams":[],"a\u0000":1}"#
        let envelope = try envelope(text)
        #expect(envelope.kind == .request)
        #expect(part(text, envelope.id) == "7")
        #expect(envelope.methodHasEscapes)
        #expect(withText(text) { JSONText.string($0.part(envelope.method)) } == "lab")
        #expect(part(text, envelope.params) == "[]")
    }

    @Test func `names that only look like the envelope's are ignored`() throws {
        let text = """
            {"jsonrpc":"2.0","id":1,"method":"a","ID":2,"id ":3,"method\\u0000":4,"i":5,"":6,"jsonrpc2":7,"résult":8,\
            "meta":{"id":9},"meta":[]}
            """
        let envelope = try envelope(text)
        #expect(envelope.kind == .request)
        #expect(part(text, envelope.id) == "1")
    }

    @Test(arguments: ["1.0", "-0", "12345678901234567890", "1e400", "null", #""""#, #""\ud834\udd1e""#, #""é""#])
    func `an id is kept as it is written`(_ id: String) throws {
        let text = #"{"jsonrpc":"2.0","method":"a","id": \#(id) }"#
        let envelope = try envelope(text)
        #expect(envelope.kind == .request)
        #expect(part(text, envelope.id) == id)
    }

    @Test(arguments: [
        #"{"jsonrpc":"2.0","id":1,"result":null}"#, #"{"result":1}"#, #"{"error":{}}"#,
        #"{"id":true,"jsonrpc":1,"error":1,"error":2}"#, #"{"id":1,"id":2,"result":3}"#,
    ])
    func `result or error without a method is an answer, however wrong`(_ text: String) throws {
        #expect(try envelope(text).kind == .reply)
        let batch = try batch("[\(text)]")
        #expect(batch.count == 1)
        #expect(batch.entries[0].kind == .reply)
    }

    @Test func `an answer's parts are found`() throws {
        let result = #"{"jsonrpc":"2.0","id":1,"result": {"a":[1]} }"#
        #expect(part(result, try envelope(result).result) == #"{"a":[1]}"#)
        let error = #"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}"#
        #expect(part(error, try envelope(error).error) == #"{"code":1,"message":"x"}"#)
        #expect(part(error, try envelope(error).id) == "1")
    }

    @Test func `entries of a batch are told apart`() throws {
        let calls = #"{"jsonrpc":"2.0","id":"9","method":"a"}, {"jsonrpc":"2.0","method":"b"}"#
        let text = "[[], null, {}, \(calls), [[{\"id\":1}]]]"
        let (entries, count) = try batch(text)
        #expect(count == 6)
        let noObject = Envelope.Kind.invalid(.notAnObject)
        #expect(entries.map(\.kind) == [noObject, noObject, .invalid(.jsonrpc), .request, .notification, noObject])
        #expect(entries.compactMap { part(text, $0.id) } == [#""9""#])
    }

    @Test func `a long batch is counted, but only its beginning kept`() throws {
        let text =
            "[" + Array(repeating: #"{"jsonrpc":"2.0","method":"a"}"#, count: 1000).joined(separator: " , ") + "]"
        let (entries, count) = try batch(text, maximum: 100)
        #expect(count == 1000)
        #expect(entries.count == 100)
        #expect(part(text, entries[99].method) == "a")
    }
}
