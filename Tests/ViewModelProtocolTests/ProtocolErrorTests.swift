import Testing
import ViewModelProtocol

@Suite struct ProtocolErrorTests {
    @Test(
        arguments: [
            (ProtocolError.parseError(offset: 24), -32700, "Parse error", #"{"offset":24}"#),
            (.parseError(), -32700, "Parse error", nil),
            (.parseError(offset: 2, hint: "why"), -32700, "Parse error", #"{"offset":2,"hint":"why"}"#),
            (
                .invalidRequest(reason: "params", hint: "why"), -32600, "Invalid Request",
                #"{"reason":"params","hint":"why"}"#
            ),
            (
                .methodNotFound(instance: "lab", member: "value", hint: "why"), -32601, "Method not found",
                #"{"instance":"lab","member":"value","suggestions":[],"hint":"why"}"#
            ),
            (.invalidRequest(reason: "method"), -32600, "Invalid Request", #"{"reason":"method"}"#),
            (
                .invalidRequest(reason: "duplicateId", id: .number("1.0")), -32600, "Invalid Request",
                #"{"reason":"duplicateId","id":1.0}"#
            ),
            (
                .methodNotFound(instance: "calculator", member: "prss", suggestions: ["press"]), -32601,
                "Method not found",
                #"{"instance":"calculator","member":"prss","suggestions":["press"]}"#
            ),
            (
                .invalidParams(ValueMismatch(path: "/value", expected: "one of 0 1", found: "x")), -32602,
                "Invalid params",
                #"{"path":"/value","expected":"one of 0 1","found":"x"}"#
            ),
            (.internalError(incident: "7f"), -32603, "Internal error", #"{"incident":"7f"}"#),
            (
                .actionFailed(error: "unreachable", retryable: true), -32000, "The action failed",
                #"{"error":"unreachable","details":null,"retryable":true}"#
            ),
            (.messageTooLarge(limit: 1024), -32001, "Message too large", #"{"limit":1024}"#),
            (.disabled(action: "undo"), -32002, "The action is disabled", #"{"action":"undo"}"#),
            (.executing(action: "send"), -32003, "The action is already executing", #"{"action":"send"}"#),
            (.notFound(session: "desk"), -32004, "No such session", #"{"session":"desk","suggestions":[]}"#),
            (
                .notFound(instance: "lap", suggestions: ["lab"]), -32004, "No such instance",
                #"{"instance":"lap","suggestions":["lab"]}"#
            ),
            (.notFound(type: "lap"), -32004, "No such type", #"{"type":"lap","suggestions":[]}"#),
            (.accessDenied(reason: "scope"), -32005, "Access denied", #"{"reason":"scope"}"#),
            (
                .limitExceeded(limit: "limits.batch", value: 100), -32006, "Limit exceeded",
                #"{"limit":"limits.batch","value":100}"#
            ),
            (.shuttingDown, -32007, "The daemon is shutting down", nil),
            (.deadlinePassed(deadline: 50), -32008, "Deadline passed", #"{"deadline":50}"#),
            (
                .sessionInUse(node: "lab-7", attached: 2), -32009, "The session is in use on another machine",
                #"{"node":"lab-7","attached":2}"#
            ),
            (
                .sessionEnded("desk", reason: "moved"), -32010, "The connection's session has ended",
                #"{"session":"desk","reason":"moved"}"#
            ),
            (
                .sessionEnded(nil, reason: "failed"), -32010, "The connection's session has ended",
                #"{"session":null,"reason":"failed"}"#
            ),
            (
                .storeUnavailable, -32000, "The daemon's store cannot be used now. Try again later",
                #"{"error":"storeUnavailable","details":null,"retryable":true}"#
            ),
            (.cancelled, -32800, "The request was cancelled", nil),
        ] as [(ProtocolError, Int, String, String?)]
    )
    func `a cause has its code, message and data`(error: ProtocolError, code: Int, message: String, data: String?)
        throws
    {
        #expect(error.code.rawValue == code)
        #expect(error.message == message)
        #expect(error.data == data.flatMap { JSONValue(text: $0) })
        #expect(ProtocolError(try written(error)) == error)
    }

    @Test func `details are written as they are`() throws {
        let error = ProtocolError(code: .invalidParams, message: "Invalid params\n", data: JSONValue(text: "[1.0]"))
        #expect(try written(error).description == #"{"code":-32602,"message":"Invalid params\n","data":[1.0]}"#)
    }

    @Test(arguments: [
        "1", "{}", #"{"code":1}"#, #"{"message":"x"}"#, #"{"code":"1","message":"x"}"#, #"{"code":1.5,"message":"x"}"#,
    ])
    func `what is none is not read`(_ text: String) throws {
        #expect(ProtocolError(try #require(JSONValue(text: text))) == nil)
    }

    @Test func `unknown members are ignored`() throws {
        let object = try #require(JSONValue(text: #"{"more":1,"code":1.0,"message":"x","data": null }"#))
        #expect(ProtocolError(object) == ProtocolError(code: ErrorCode(rawValue: 1), message: "x", data: .null))
    }

    private func written(_ error: ProtocolError) throws -> JSONValue {
        var writer = JSONWriter()
        error.write(to: &writer)
        return try #require(JSONValue(text: writer.bytes))
    }
}
