import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing
import ViewModelProtocol
import ViewModelTesting

/// `viewmodelctl dev` with the real compiler, and a package whose program becomes a daemon of the tests.
@Suite struct DevTests {
    /// The folder of the package, the log and the socket.
    private let folder = TemporaryFolder()

    private var socket: String { "\(folder)/d.sock" }
    private var log: String { (try? folder.read("log")) ?? "" }

    init() throws {
        try folder.write(
            """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(name: "app", targets: [.executableTarget(name: "app", path: "Sources")])
            """,
            to: "Package.swift"
        )
    }

    /// Writes a program that becomes the daemon `tally-d`, with one more argument.
    private func writeProgram(_ argument: String) throws {
        try folder.write(
            """
            import Foundation
            let arguments = ["tally-d"] + CommandLine.arguments.dropFirst() + ["\(argument)"]
            execv("\(TemporaryDaemon.path(of: .tallyd))", arguments.map { strdup($0) } + [nil])
            """,
            to: "Sources/main.swift"
        )
    }

    /// Waits until a condition holds.
    private func wait(for what: String, _ condition: () throws -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(240)
        while try !condition() {
            guard ContinuousClock.now < end else { throw RawConnection.Failure(what: "\(what): \(log)") }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Returns the first message with a text.
    private func message(with text: String, on connection: RawConnection) throws -> String {
        while true {
            guard let line = try connection.line() else { throw RawConnection.Failure(what: "\(text): \(log)") }
            if line.contains(text) { return line }
        }
    }

    private func attached() throws -> RawConnection {
        let connection = try RawConnection(socket)
        #expect(try connection.call("session.attach", #"{"session":"desk"}"#)["result"] != nil)
        return connection
    }

    private func runDev(
        until signal: Signal,
        _ body: (RawConnection) async throws -> Void
    ) async throws -> TerminationStatus {
        let result = try await run(
            .path(FilePath("\(TemporaryDaemon.programs)/viewmodelctl")),
            arguments: Arguments(["--socket", socket, "dev", folder.path]),
            environment: .inherit.updating(["XDG_CONFIG_HOME": "\(folder)/none"]),
            input: .none,
            output: .discarded,
            error: .fileDescriptor(folder.log(), closeAfterSpawningProcess: true)
        ) { execution in
            try await ending(execution, with: signal) {
                try await wait(for: "the daemon") { log.contains("viewmodelctl: Ready") }
                try await body(try attached())
            }
        }
        return result.terminationStatus
    }

    @Test func `a failed build is a hint of the old daemon, and a value that no longer fits is named`() async throws {
        try writeProgram("--start=5")
        let status = try await runDev(until: .terminate) { connection in
            #expect(try connection.call("viewModel.bind", #"{"id":"prompter"}"#)["result"] != nil)
            #expect(try connection.call("tally.stroke")["result"] != nil)

            try folder.write("let number: Int = \"a\"\n", to: "Sources/main.swift")
            let failed = try message(with: "The build failed", on: connection)
            #expect(failed.contains(#""output":"hint""#) && failed.contains(#""level":"error""#), "\(failed)")
            #expect(failed.contains("The build failed: Sources/main.swift:1:19: error: "), "\(failed)")
            let kept = try connection.call("viewModel.read", #"{"id":"tally","outputs":["strokes","start"]}"#)
            #expect(kept["result"]?["values"] == ["strokes": 1, "start": 5])

            try writeProgram("--words")
            try await wait(for: "the new daemon") { log.contains("from save to frame") }
            let next = try attached()
            let read = try next.call("viewModel.read", #"{"id":"tally"}"#)
            #expect(read["result"]?["values"] == ["strokes": "none"])
            #expect(try next.call("viewModel.bind", #"{"id":"prompter"}"#)["result"] != nil)
            let dropped = try message(with: "tally.strokes", on: next)
            #expect(dropped.contains("The saved value of tally.strokes does not fit any more"), "\(dropped)")
            #expect(dropped.contains("kept aside: expected a string"), "\(dropped)")
            #expect(dropped.contains(#""level":"warning""#), "\(dropped)")
            #expect(log.contains("A saved value does not fit the code any more"))
        }
        #expect(status == .exited(143))
    }

    @Test func `the daemon stops in order if dev is killed`() async throws {
        try writeProgram("--start=5")
        var connection: RawConnection?
        let status = try await runDev(until: .kill) { connection = $0 }
        #expect(status == .signaled(SIGKILL))
        let closed = try message(with: "session.closed", on: try #require(connection))
        #expect(closed.contains(#""reason":"stopping""#), "\(closed)")
        try await wait(for: "the end of the daemon") { (try? RawConnection(socket)) == nil }
    }
}
