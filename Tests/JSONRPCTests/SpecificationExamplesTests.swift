import JSONRPC
import Testing

/// The examples of the JSON-RPC 2.0 specification, section 7.
@Suite struct `Examples of the specification` {
    @Test(
        arguments: [
            (#"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#, .request, "1", "[42, 23]"),
            (#"{"jsonrpc": "2.0", "method": "subtract", "params": {"a": 23}, "id": 3}"#, .request, "3", #"{"a": 23}"#),
            (#"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#, .notification, nil, "[1,2,3,4,5]"),
            (#"{"jsonrpc": "2.0", "method": "foobar"}"#, .notification, nil, ""),
            (#"{"jsonrpc": "2.0", "result": 19, "id": 1}"#, .reply, "1", ""),
            (#"{"jsonrpc": "2.0", "error": {"code": -32601, "message": "No method"}, "id": "1"}"#, .reply, #""1""#, ""),
            (
                #"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#, .reply, "null",
                ""
            ),
            (#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#, .invalid(.method), nil, ""),
            ("[]", .invalid(.emptyBatch), nil, ""),
        ] as [(String, Envelope.Kind, String?, String)]
    )
    func `a message`(text: String, kind: Envelope.Kind, id: String?, params: String) throws {
        let envelope = try envelope(text)
        #expect(envelope.kind == kind)
        #expect(part(text, envelope.id) == id)
        if case .invalid = kind { return }
        #expect(part(text, envelope.params) ?? "" == params)
    }

    @Test(
        arguments: [
            ("[1]", [.invalid(.notAnObject)]), ("[1,2,3]", Array(repeating: .invalid(.notAnObject), count: 3)),
            (
                """
                [{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
                 {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}, {"foo": "boo"},
                 {"jsonrpc": "2.0", "method": "get_data", "id": "9"}]
                """, [.request, .notification, .invalid(.jsonrpc), .request]
            ),
        ] as [(String, [Envelope.Kind])]
    )
    func `a batch`(text: String, kinds: [Envelope.Kind]) throws {
        guard case .batch(let entries, kinds.count) = try parse(text) else { throw Unexpected() }
        #expect(entries.map(\.kind) == kinds)
        #expect(entries.compactMap { part(text, $0.id) } == (kinds.count == 4 ? [#""1""#, #""9""#] : []))
    }

    @Test func `what is no JSON`() {
        #expect(syntaxError(#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#) != nil)
        #expect(syntaxError(#"[{"jsonrpc": "2.0", "method": "sum", "id": "1"}, {"jsonrpc": "2.0", "method"]"#) == 76)
    }
}
