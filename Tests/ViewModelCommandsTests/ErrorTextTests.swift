import Testing
import ViewModelClient

@testable import ViewModelCommands

@Suite struct ErrorTextTests {
    @Test(arguments: [
        (
            ProtocolError.methodNotFound(instance: "calculator", member: "prss", suggestions: ["press"]),
            "Method not found: calculator.prss (-32601). Did you mean press?"
        ),
        (
            .invalidParams(path: "/value", expected: "an integer", found: "x"),
            "Invalid params at /value: expected an integer, found x (-32602)"
        ),
        (
            .methodNotFound(instance: "lab", member: "value", suggestions: ["set"], hint: "lab.value is an output"),
            "Method not found: lab.value (-32601). lab.value is an output"
        ),
        (
            .parseError(offset: 3, hint: "Strings have double quotes"),
            "Parse error (-32700). Strings have double quotes"
        ),
        (
            .invalidRequest(reason: "params", hint: "Leave params out"),
            "Invalid Request: params (-32600). Leave params out"
        ),
        (
            .notFound(instance: "lap", suggestions: ["lab", "log"]),
            "No such instance: lap (-32004). Did you mean lab or log?"
        ),
        (
            .notFound(session: "desk"),
            "No such session: desk (-32004). viewmodelctl sessions lists those that are alive"
        ),
        (
            .disabled(action: "undo"),
            "The action is disabled: undo (-32002). Its outputs undo.enabled and undo.executing show when it can run"
        ),
        (
            .actionFailed(error: "unreachable", retryable: true),
            "The action failed: unreachable (-32000). It may be tried again"
        ),
        (
            .actionFailed(error: "unreachable", message: "The forecasts cannot be reached."),
            "The forecasts cannot be reached: unreachable (-32000)"
        ),
        (.limitExceeded(limit: "limits.batch", value: 100), "Limit exceeded: limits.batch is 100 (-32006)"),
        (.accessDenied(reason: "scope observe"), "Access denied: scope observe (-32005)"),
        (.deadlinePassed(deadline: 50), "Deadline passed: 50 ms (-32008)"),
        (
            .sessionInUse(node: "lab-7", attached: 2),
            """
            The session is in use on another machine: lab-7 (-32009). session.attach with "move":true brings it here, and \
            its clients there lose it
            """
        ),
        (
            .sessionEnded("desk", reason: "moved"),
            """
            The connection's session has ended: moved (-32010). The call had no effect; session.attach gives the connection \
            a session again
            """
        ),
        (.cancelled, "The request was cancelled (-32800)"),
        (
            ProtocolError(code: .notFound, message: "m", data: .array([])),
            "m (-32004). viewmodelctl types and describe list the names"
        ),
    ])
    func `an error names the thing and the remedy`(error: ProtocolError, text: String) {
        #expect(ErrorText.text(ClientError(code: .refused, message: "", reply: error)) == text)
    }
}
