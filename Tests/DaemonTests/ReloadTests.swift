import TestSupport
import Foundation
import Testing
import ViewModelProtocol

/// Reading the configuration again while clients work.
@Suite struct ReloadTests {
    private let folder = TemporaryFolder()

    @Test func `a change is applied after the directory of the file was removed and created again`() async throws {
        try await withConfiguredDaemon("limits: {batch: 5}\n") { daemon, file in
            let connection = try daemon.connect()
            try write("limits: {batch: 1}\n", to: file)
            try await waitForBatchLimit(1, on: connection)
            let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
            try FileManager.default.removeItem(at: directory)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            // As editors do it: a new file in the old one's place.
            try write("limits: {batch: 2}\n", to: file + ".new")
            rename(file + ".new", file)
            try await waitForBatchLimit(2, on: connection)
        }
    }

    @Test func `a change behind links is applied: a link made anew, a switched directory, another name of the file`()
        async throws
    {
        try await withConfiguredDaemon("limits: {batch: 9}\n") { daemon, file in
            let connection = try daemon.connect()
            let volume = "\(daemon.folder)/volume"
            for number in 1...2 {
                let directory = "\(volume)/..\(number)"
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                try write("limits: {batch: \(number)}\n", to: "\(directory)/d.yaml")
            }
            // As a ConfigMap is mounted: the file is a link through `..data`, which is renamed over.
            symlink("..1", "\(volume)/..data")
            symlink("..data/d.yaml", "\(volume)/d.yaml")
            unlink(file)
            symlink("\(volume)/d.yaml", file)
            try await waitForBatchLimit(1, on: connection)
            symlink("..2", "\(volume)/..new")
            rename("\(volume)/..new", "\(volume)/..data")
            try await waitForBatchLimit(2, on: connection)
            unlink("\(volume)/..data")
            symlink("..1", "\(volume)/..data")
            try await waitForBatchLimit(1, on: connection)
            link("\(volume)/..1/d.yaml", "\(daemon.folder)/second name")
            try writeInPlace("limits: {batch: 3}\n", to: "\(daemon.folder)/second name")
            try await waitForBatchLimit(3, on: connection)
        }
    }

    @Test func `a file that is gone for a second is reported, and applied when it is back`() async throws {
        try await withConfiguredDaemon("limits: {batch: 5}\n") { daemon, file in
            let connection = try daemon.connect()
            rename(file, file + ".away")
            try await daemon.waitForLog("the old one stays in force")
            try await waitForBatchLimit(5, on: connection)
            try writeInPlace("limits: {batch: 1}\n", to: file + ".away")
            link(file + ".away", file)
            try await waitForBatchLimit(1, on: connection)
        }
    }

    @Test func `additions beside the file are applied as they come, change and go`() async throws {
        try await withConfiguredDaemon("limits: {batch: 5}\n") { daemon, file in
            let connection = try daemon.connect()
            let additions = String(file.dropLast("yaml".count)) + "d"
            try FileManager.default.createDirectory(atPath: additions, withIntermediateDirectories: true)
            try write("limits: {batch: 1}\n", to: additions + "/10.yaml")
            try await waitForBatchLimit(1, on: connection)
            try write("limits: {batch: 2}\n", to: additions + "/20.yaml")
            try await waitForBatchLimit(2, on: connection)
            try writeInPlace("limits: {batch: 3}\n", to: additions + "/20.yaml")
            try await waitForBatchLimit(3, on: connection)
            unlink(additions + "/20.yaml")
            try await waitForBatchLimit(1, on: connection)
        }
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

    @Test func `SIGHUP reads also a file that has not changed, as often as it comes`() async throws {
        try await withConfiguredDaemon("lab: true\n") { daemon, _ in
            for _ in 0..<20 { kill(daemon.process, SIGHUP) }
            try await daemon.waitForLog("Read the configuration again")
            let answer = try daemon.connect().call("viewModel.read", #"{"id":"lab"}"#)
            #expect(answer["result"] != nil)
        }
    }

    @discardableResult
    private func withConfiguredDaemon(
        _ text: String,
        _ body: @Sendable (TemporaryDaemon, _ file: String) async throws -> Void
    ) async throws -> DaemonEnd {
        let file = try folder.write(text, to: "configuration/d.yaml")
        return try await withDaemon("--config", file, folder: folder) { try await body($0, file) }
    }

    private func write(_ text: String, to file: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    /// Overwrites a file without another inode.
    private func writeInPlace(_ text: String, to file: String) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
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
