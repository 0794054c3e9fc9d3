import TestSupport
import Foundation
import Testing
import ViewModelProtocol

/// The configuration as the running daemon takes it.
@Suite struct DaemonConfigurationTests {
    @Test(
        arguments: [
            ("limits: {batch: 3}", 0, "the configuration is valid"),
            ("", 0, "the configuration is valid"),
            ("limits: {batch: many}", 78, "d.yaml:1: limits.batch: expected a whole number"),
            ("limitz: {batch: 3}", 78, "did you mean limits?"),
            ("account: {provider: http}", 78, "account.url"),
        ]
    )
    func `a check says what it thinks of a file and starts nothing`(
        text: String,
        status: Int,
        says: String
    ) async throws {
        try await withFile(text) { folder in
            let end = try await daemonThatEnds(
                "--check-config",
                "--config",
                "\(folder)/d.yaml",
                "--socket",
                "\(folder)/s/d.sock",
                "--state-directory",
                "\(folder)/state"
            )
            #expect(end.status == status && end.log.contains(says), "\(end.log)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["d.yaml"])
        }
    }

    @Test func `a daemon with a wrong file does not start`() async throws {
        try await withFile("lab: perhaps") { folder in
            let end = try await daemonThatEnds("--config", "\(folder)/d.yaml", "--socket", "\(folder)/s/d.sock")
            #expect(end.status == 78 && end.log.contains("d.yaml:1: lab: expected true or false"), "\(end.log)")
        }
    }

    @Test func `a file that was asked for must be there`() async throws {
        #expect(try await daemonThatEnds("--config", "/nonexistent.yaml").status == 78)
    }

    @Test func `socket, log and limits are as the file has them`() async throws {
        let group = getegid()
        let text = """
            socket: {mode: 0660, group: \(group)}
            lab: true
            limits: {batch: 1}
            log: {format: json}
            """
        try await withFile(text) { folder in
            let end = try await withDaemon("--config", "\(folder)/d.yaml") { daemon in
                var status = stat()
                #expect(stat(daemon.socket, &status) == 0 && status.st_mode & 0o777 == 0o660)
                #expect(status.st_gid == group)
                let connection = try daemon.connect()
                #expect(try connection.call("viewModel.read", #"{"id":"lab"}"#)["result"] != nil)
                connection.sendLine(#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]"#)
                #expect(try connection.line()?.contains("limits.batch") == true)
            }
            #expect(end.status == 0)
            for line in end.log.split(separator: "\n") {
                #expect(line.hasPrefix("{\"time\":") && line.hasSuffix("}"), "\(line)")
            }
        }
    }

    private func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(folder)/d.yaml"))
        try await body(folder)
    }
}
