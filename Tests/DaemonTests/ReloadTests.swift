import TestSupport
import Foundation
import Testing
import ViewModelProtocol

/// Reading the configuration again while clients work.
@Suite struct ReloadTests {
    @Test func `SIGHUP applies what can be applied to the clients that are connected`() async throws {
        try await withConfiguredDaemon("limits: {batch: 5}\n") { daemon, file in
            let connection = try daemon.connect()
            #expect(try connection.call("viewModel.read", #"{"id":"calculator"}"#)["result"] != nil)
            // Replaced by a link, which is not watched, so only the signal can be the cause.
            let other = "\(daemon.folder)/other.yaml"
            try write("limits: {batch: 1}\n", to: other)
            unlink(file)
            symlink(other, file)
            kill(daemon.process, SIGHUP)
            try await waitForBatchLimit(1, on: connection)
        }
    }

    @Test func `a change of the file is applied by itself`() async throws {
        try await withConfiguredDaemon("limits: {batch: 5}\n") { daemon, file in
            let connection = try daemon.connect()
            try write("limits: {batch: 1}\n", to: file)
            try await waitForBatchLimit(1, on: connection)
            // As editors do it: a new file in the old one's place.
            try write("limits: {batch: 2}\n", to: file + ".new")
            rename(file + ".new", file)
            try await waitForBatchLimit(2, on: connection)
        }
    }

    @Test func `a change is applied after the directory of the file was removed and created again`() async throws {
        try await withConfiguredDaemon("limits: {batch: 5}\n") { daemon, file in
            let connection = try daemon.connect()
            try write("limits: {batch: 1}\n", to: file)
            try await waitForBatchLimit(1, on: connection)
            let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
            try FileManager.default.removeItem(at: directory)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try write("limits: {batch: 2}\n", to: file)
            try await waitForBatchLimit(2, on: connection)
        }
    }

    @Test func `a wrong file changes nothing and the log says what is wrong`() async throws {
        let end = try await withConfiguredDaemon("limits: {batch: 1}\n") { daemon, file in
            let connection = try daemon.connect()
            try write("limits: {batch: many}\nlimitz: 3\n", to: file)
            try await daemon.waitForLog("did you mean limits?")
            try write("limits: {batch: 2}\n", to: file)
            try await waitForBatchLimit(2, on: connection)
        }
        #expect(end.status == 0)
        #expect(end.log.contains("the old one stays"), "\(end.log)")
        #expect(end.log.contains("limits.batch") && end.log.contains("did you mean limits?"), "\(end.log)")
    }

    @Test func `the log names changes that need a restart, and they are not applied`() async throws {
        let end = try await withConfiguredDaemon("lab: true\n") { daemon, file in
            let connection = try daemon.connect()
            try write("lab: false\nlimits: {batch: 1}\nsocket: {mode: 0660}\n", to: file)
            try await waitForBatchLimit(1, on: connection)
            #expect(try connection.call("viewModel.read", #"{"id":"lab"}"#)["result"] != nil)
            var status = stat()
            #expect(stat(daemon.socket, &status) == 0 && status.st_mode & 0o777 == 0o600)
        }
        #expect(end.log.contains("socket.mode, lab"), "\(end.log)")
    }

    @Test func `a signal before there is anything to apply does no harm`() async throws {
        try await withConfiguredDaemon("lab: true\n") { daemon, _ in
            for _ in 0..<20 { kill(daemon.process, SIGHUP) }
            let answer = try daemon.connect().call("viewModel.read", #"{"id":"lab"}"#)
            #expect(answer["result"] != nil)
        }
    }

    @discardableResult
    private func withConfiguredDaemon(
        _ text: String,
        _ body: @Sendable (TemporaryDaemon, _ file: String) async throws -> Void
    ) async throws -> DaemonEnd {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let file = "\(folder)/configuration/d.yaml"
        try FileManager.default.createDirectory(atPath: "\(folder)/configuration", withIntermediateDirectories: true)
        try write(text, to: file)
        return try await withDaemon("--config", file, folder: folder) { try await body($0, file) }
    }

    private func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    /// Waits until batches longer than this are refused with the limit's value.
    private func waitForBatchLimit(_ limit: Int, on connection: RawConnection) async throws {
        let request = #"{"jsonrpc":"2.0","id":1,"method":"viewModel.list"}"#
        let batch = "[" + Array(repeating: request, count: limit + 1).joined(separator: ",") + "]"
        let end = ContinuousClock.now + .seconds(120)
        while ContinuousClock.now < end {
            connection.sendLine(batch)
            if try #require(try connection.line()).contains(#""value":\#(limit)"#) { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        Issue.record("the limit did not become \(limit)")
    }
}
