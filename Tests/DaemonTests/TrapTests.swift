import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// What the log of a real daemon says about code of a ViewModel that traps or that blocks its loop.
@Suite(.timeLimit(.minutes(5))) struct TrapTests {
    private let folder = TemporaryFolder()

    /// Runs a daemon of an author until a call of a ViewModel has ended it.
    private func end(
        _ method: String,
        _ params: String,
        variables: [String: String] = [:]
    ) async throws -> DaemonEnd {
        try await run(variables) { connection, _ in
            connection.sendLine(#"{"jsonrpc":"2.0","id":1,"method":"\#(method)","params":\#(params)}"#)
            while let line = try? connection.line() {
                if line.contains(#""error""#) { throw RawConnection.Failure(what: line) }
            }
        }
    }

    private func run(
        _ variables: [String: String] = [:],
        _ body: @Sendable (RawConnection, TemporaryDaemon) async throws -> Void
    ) async throws -> DaemonEnd {
        let result = try await Subprocess.run(
            .path(FilePath(TemporaryDaemon.path(of: .tallyd))),
            arguments: Arguments(folder.places),
            // Its backtrace would take seconds.
            environment: folder.environment(variables.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }),
            input: .none,
            output: .fileDescriptor(folder.log(), closeAfterSpawningProcess: true),
            error: .fileDescriptor(folder.log(), closeAfterSpawningProcess: true)
        ) { execution in
            try await ending(execution, with: .terminate) {
                let daemon = TemporaryDaemon(folder: folder.path, process: execution.processIdentifier.value)
                try await RawConnection.waitUntilListening(daemon.socket)
                let connection = try daemon.connect()
                _ = try connection.call("session.attach", #"{"session":"desk"}"#)
                try await body(connection, daemon)
            }
        }
        return DaemonEnd(result.terminationStatus, log: try folder.read("log"))
    }

    /// Checks the line in the log about a member that has trapped.
    private func expect(
        _ end: DaemonEnd,
        _ details: String = "",
        instance: String = "trouble",
        member: String,
        signal: String = "SIGILL|SIGTRAP"
    ) throws {
        #expect(end.status == nil, "A signal ends the process: \(end.log)")
        let line = try Regex(
            #"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z critical The process ends because of a trap "#
                + "\(details)instance=\(instance) member=\(member) session=desk signal=(\(signal)) uid=\(getuid())$"
        )
        #expect(end.log.matches(of: line).count == 1, "\(end.log)")
    }

    @Test(arguments: ["input", "model", "modelLater", "timer", "action", "actionLater", "actionAfterService"])
    func `names the member that has trapped`(member: String) async throws {
        try expect(try await end("trouble.\(member)", #"["overflow"]"#), member: member)
    }

    @Test func `names the output that has trapped`() async throws {
        let end = try await end("trouble.output", #"["overflow"]"#)
        try expect(end, "computing=Trouble.sum ", member: "output")
    }

    @Test func `names an output of a circle that no macro sees`() async throws {
        let end = try await end("trouble.isCircle", "[true]")
        let details = "cause=stack-overflow computing=Trouble.left "
        try expect(end, details, member: "isCircle", signal: "SIGSEGV|SIGBUS")
    }

    @Test func `names the member that has begun a computation`() async throws {
        try expect(try await end("trouble.compute", #"["overflow"]"#), member: "init")
    }

    @Test func `names the action that waits for the service`() async throws {
        try expect(try await end("trouble.service", #"["overflow"]"#), member: "service")
    }

    @Test(arguments: ["index", "unwrap", "message", "error"])
    func `names the member of each kind of trap`(trap: String) async throws {
        try expect(try await end("trouble.input", #"["\#(trap)"]"#), member: "input")
    }

    @Test(arguments: [("input", "input"), ("actionLater", "actionLater"), ("compute", "init")])
    func `names the member whose stack overflows`(input: String, member: String) async throws {
        let end = try await end("trouble.\(input)", #"["recursion"]"#)
        try expect(end, "cause=stack-overflow ", member: member, signal: "SIGSEGV|SIGBUS")
    }

    @Test func `names the ViewModel that has trapped in its init`() async throws {
        let end = try await end("viewModel.open", #"{"type":"stillborn","id":"first","arguments":{"trap":"unwrap"}}"#)
        try expect(end, instance: "first", member: "init")
    }

    // The second one to trap ended the process before the first one had written, in one of five runs.
    @Test(arguments: 1...8) func `leaves a line also if threads trap at once`(run: Int) async throws {
        let end = try await end("trouble.crowd", #"["overflow"]"#)
        #expect(end.log.contains("critical The process ends because of a trap signal=SIG"), "\(end.log)")
    }

    @Test func `does not lose what the code has printed`() async throws {
        let end = try await end("trouble.input", #"["overflow"]"#)
        #expect(end.log.contains("springing overflow\n"), "\(end.log)")
    }

    @Test func `is in the format of the log`() async throws {
        let end = try await end("trouble.input", #"["overflow"]"#, variables: ["TALLY_D_LOG_FORMAT": "json"])
        let line = try #require(end.log.split(separator: "\n").last { $0.hasPrefix("{") })
        let record = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        let names = try #require(record["metadata"] as? [String: String])
        #expect(record["level"] as? String == "critical", "\(end.log)")
        #expect(names["instance"] == "trouble" && names["member"] == "input" && names["session"] == "desk")
        let time = try #require(record["time"] as? String)
        let date = try Date(time, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        #expect(abs(date.timeIntervalSinceNow) < 300)
    }

    @Test func `of another process names what the loops run`() async throws {
        let end = try await run { connection, daemon in
            connection.sendLine(#"{"jsonrpc":"2.0","method":"trouble.block","params":{"seconds":60}}"#)
            try await daemon.waitForLog("blocks the loop")
            kill(daemon.process, SIGABRT)
            while (try? connection.line()) != nil {}
        }
        #expect(end.status == nil)
        #expect(end.log.contains("critical The process ends because of a trap signal=SIGABRT\n"), "\(end.log)")
        let names = "instance=trouble member=block session=desk uid=\(getuid())"
        #expect(end.log.contains("critical A loop ran this when the process ended \(names)\n"), "\(end.log)")
    }

    @Test func `a blocked loop is in the log while it is blocked, and when it goes on`() async throws {
        let end = try await run { connection, daemon in
            _ = try connection.call("trouble.block", #"{"seconds":2.5}"#)
            try await daemon.waitForLog("The loop goes on")
            _ = try connection.call("trouble.block", #"{"seconds":0.1}"#)
        }
        #expect(end.status == 0)
        let names = "instance=trouble member=block seconds=(\\d\\.\\d) session=desk uid=\(getuid())"
        let begin = try Regex("warning The code of a ViewModel blocks the loop of its session and of others \(names)")
        #expect(end.log.matches(of: begin).count == 1, "\(end.log)")
        #expect(end.log.matches(of: try Regex("notice The loop goes on \(names)")).count == 1, "\(end.log)")
    }
}
