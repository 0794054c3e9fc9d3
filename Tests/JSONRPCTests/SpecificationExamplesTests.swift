import JSONRPC
import Testing

/// The examples of the JSON-RPC 2.0 specification, section 7.
@Suite struct `Examples of the specification` {
    @Test func `positional parameters`() throws {
        let text = #"{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}"#
        let envelope = try envelope(text)
        #expect(envelope.kind == .request)
        #expect(part(text, envelope.id) == "1")
        #expect(part(text, envelope.method) == "subtract")
        #expect(part(text, envelope.params) == "[42, 23]")
    }

    @Test func `named parameters`() throws {
        let text = #"{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}"#
        let envelope = try envelope(text)
        #expect(envelope.kind == .request)
        #expect(part(text, envelope.id) == "3")
        #expect(part(text, envelope.params) == #"{"subtrahend": 23, "minuend": 42}"#)
    }

    @Test(arguments: [
        #"{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}"#, #"{"jsonrpc": "2.0", "method": "foobar"}"#,
    ])
    func `a notification`(_ text: String) throws {
        let envelope = try envelope(text)
        #expect(envelope.kind == .notification)
        #expect(envelope.id == nil)
    }

    @Test(arguments: [
        #"{"jsonrpc": "2.0", "result": 19, "id": 1}"#,
        #"{"jsonrpc": "2.0", "error": {"code": -32601, "message": "Method not found"}, "id": "1"}"#,
        #"{"jsonrpc": "2.0", "error": {"code": -32700, "message": "Parse error"}, "id": null}"#,
    ])
    func `an answer`(_ text: String) throws {
        #expect(try envelope(text).kind == .reply)
    }

    @Test func `invalid JSON`() {
        #expect(syntaxError(#"{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]"#) != nil)
    }

    @Test func `an invalid request object`() throws {
        let envelope = try envelope(#"{"jsonrpc": "2.0", "method": 1, "params": "bar"}"#)
        #expect(envelope.kind == .invalid(.method))
        #expect(envelope.id == nil)
    }

    @Test func `a batch that is invalid JSON`() {
        let text = """
            [{"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"}, {"jsonrpc": "2.0", "method"]
            """
        #expect(syntaxError(text) == 95)
    }

    @Test func `an empty array`() throws {
        #expect(try envelope("[]").kind == .invalid(.emptyBatch))
    }

    @Test func `an invalid batch`() throws {
        guard case .batch(let entries, 1) = try parse("[1]") else { throw Unexpected() }
        #expect(entries.map(\.kind) == [.invalid(.notAnObject)])
        guard case .batch(let entries, 3) = try parse("[1,2,3]") else { throw Unexpected() }
        #expect(entries.map(\.kind) == Array(repeating: .invalid(.notAnObject), count: 3))
    }

    @Test func `a batch of all sorts`() throws {
        let text = """
            [
                {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
                {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
                {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
                {"foo": "boo"},
                {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
                {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
            ]
            """
        guard case .batch(let entries, 6) = try parse(text) else { throw Unexpected() }
        #expect(
            entries.map(\.kind) == [
                .request, .notification, .request, .invalid(.jsonrpc), .request, .request,
            ]
        )
        #expect(entries.map { part(text, $0.id) } == [#""1""#, nil, #""2""#, nil, #""5""#, #""9""#])
        #expect(
            entries.map { part(text, $0.method) } == [
                "sum", "notify_hello", "subtract", "", "foo.get", "get_data",
            ]
        )
        #expect(part(text, entries[4].params) == #"{"name": "myself"}"#)
    }

    @Test func `a batch of notifications`() throws {
        let text = """
            [{"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
             {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}]
            """
        guard case .batch(let entries, 2) = try parse(text) else { throw Unexpected() }
        #expect(entries.allSatisfy { $0.kind == .notification })
    }
}
