import ArgumentParser
import Testing
import UnixIO
import ViewModelClient

@testable import ViewModelCommands

@Suite struct ExitStatusTests {
    @Test(arguments: [
        (-32000, 1), (-32601, 4), (-32004, 4), (-32002, 5), (-32003, 5), (-32005, 5), (-32006, 5), (-32008, 6),
        (-32602, 7), (-32700, 8), (-32600, 8), (-32603, 8), (-32001, 8), (-32007, 8), (-32009, 8), (-32010, 8),
        (-32800, 8), (-1, 8),
    ])
    func `an error code of the protocol has its status`(code: Int, status: Int32) {
        let reply = ProtocolError(code: ErrorCode(rawValue: code), message: "m")
        let error = ClientError(code: .refused, message: "m", reply: reply)
        #expect(ErrorReport(error).status.rawValue == status)
        #expect(ErrorReport(ScriptFailure(line: 3, cause: error)).status.rawValue == status)
    }

    @Test(
        arguments: [
            (ClientError.Code.noConnection, 3), (.connectionLost, 3), (.outcomeUnknown, 3), (.closed, 3),
            (.timedOut, 6), (.sessionClosed, 4), (.sessionMoved, 4), (.unexpectedReply, 8),
        ] as [(ClientError.Code, Int32)]
    )
    func `a failure of the client has its status`(code: ClientError.Code, status: Int32) {
        #expect(ErrorReport(ClientError(code: code, message: "m")).status.rawValue == status)
    }

    @Test func `an interruption, a closed pipe, a wrong command line have theirs`() {
        #expect(ErrorReport(CancellationError()).status == .interrupted)
        #expect(ErrorReport(CancellationError()).text.isEmpty)
        #expect(ErrorReport(ClosedPipe()).status == .done)
        #expect(ErrorReport(ClosedPipe()).text.isEmpty)
        #expect(ErrorReport(OutputError(cause: SystemError(code: 28))).status == .failed)
        #expect(ErrorReport(CommandFailure.usage("m")).status.rawValue == 64)
        #expect(ErrorReport(ValidationError("m")).status.rawValue == 64)
        #expect(ErrorReport(CleanExit.message("m")).status == .done)
    }
}
