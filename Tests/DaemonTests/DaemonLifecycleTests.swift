import TestSupport
import Foundation
import Testing
import ViewModelProtocol

/// Starting, refusing to start, ending.
@Suite struct DaemonLifecycleTests {
    @Test func `SIGTERM ends the daemon with 0 and removes its socket`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let end = try await withDaemon(folder: folder) { daemon in
            #expect(FileManager.default.fileExists(atPath: daemon.socket))
        }
        #expect(end.status == 0, "\(end.log)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder)/s/d.sock"))
    }

    @Test func `a named session gets a notice that the daemon stops`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try await withDaemon(folder: folder) { daemon in
            let connection = try daemon.connect()
            _ = try connection.call("session.attach", #"{"session":"desk"}"#)
            kill(daemon.process, SIGTERM)
            let message = try #require(try connection.line())
            #expect(message.contains(#""session.closed""#) && message.contains(#""stopping""#))
            #expect(try connection.line() == nil)
        }
    }

    @Test func `no other user can access the socket and the state`() async throws {
        try await withDaemon { daemon in
            #expect(mode(daemon.socket) == 0o600)
            #expect(mode("\(daemon.folder)/s") == 0o700)
            #expect(mode(daemon.state) == 0o700)
        }
    }

    @Test func `a second daemon on the same socket is refused and names the first`() async throws {
        try await withDaemon { daemon in
            let end = try await daemonThatEnds("--socket", daemon.socket, "--state-directory", "\(daemon.folder)/other")
            #expect(end.status == 73)
            #expect(end.log.contains("\(daemon.process)"), "\(end.log)")
            #expect(try daemon.connect().call("viewModel.list")["result"] != nil, "the first one goes on")
        }
    }

    @Test func `a second daemon on the same state directory is refused and names the first`() async throws {
        try await withDaemon { daemon in
            let end = try await daemonThatEnds(
                "--socket",
                "\(daemon.folder)/other.sock",
                "--state-directory",
                daemon.state
            )
            #expect(end.status == 73)
            #expect(end.log.contains("\(daemon.process)"), "\(end.log)")
        }
    }

    @Test func `a stale socket is replaced`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try await withDaemon(folder: folder) { daemon in
            kill(daemon.process, SIGKILL)
        }
        #expect(FileManager.default.fileExists(atPath: "\(folder)/s/d.sock"))
        try await withDaemon(folder: folder) { daemon in
            let reply = try daemon.connect().call("viewModel.list")
            #expect(reply["result"] != nil)
        }
    }

    @Test func `the daemon listens again when its socket or the directory was removed or renamed`() async throws {
        let end = try await withDaemon { daemon in
            let connection = try daemon.connect()
            let losses: [() throws -> Void] = [
                { _ = unlink(daemon.socket) },
                { try FileManager.default.removeItem(atPath: "\(daemon.folder)/s") },
                { _ = rename("\(daemon.folder)/s", "\(daemon.folder)/moved") },
                { _ = rename(daemon.socket, "\(daemon.folder)/away") },
            ]
            for loss in losses {
                try loss()
                try await RawConnection.waitUntilListening(daemon.socket)
                #expect(try daemon.connect().call("viewModel.list")["result"] != nil)
                #expect(mode(daemon.socket) == 0o600 && mode("\(daemon.folder)/s") == 0o700)
            }
            #expect(try connection.call("viewModel.list")["result"] != nil, "open connections go on")
        }
        #expect(end.status == 0, "\(end.log)")
        #expect(end.log.contains("no client can connect") && end.log.contains("Listening again"), "\(end.log)")
    }

    @Test func `a daemon that lost its path to another one leaves that one alone`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let path = "\(folder)/s/d.sock"
        let end = try await withDaemon(folder: folder) { daemon in
            try FileManager.default.removeItem(atPath: "\(folder)/s")
            try FileManager.default.createDirectory(atPath: "\(folder)/s", withIntermediateDirectories: true)
            let other = PassedSocket(path)
            try await daemon.waitForLog("listens at \(path) already")
            _ = try RawConnection(other.path)
            kill(daemon.process, SIGTERM)
            try await daemon.waitForLog("Stopped")
            #expect(FileManager.default.fileExists(atPath: path))
        }
        #expect(end.status == 0, "\(end.log)")
    }

    @Test func `another file in the socket's place is left alone`() async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        let path = "\(folder)/d.sock"
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        let end = try await daemonThatEnds("--socket", path, "--state-directory", "\(folder)/state")
        #expect(end.status == 73 && end.log.contains("is not a socket"), "\(end.log)")
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    @Test func `a path that the kernel does not take is a clear error`() async throws {
        let path = "/tmp/" + String(repeating: "x", count: 110)
        let end = try await daemonThatEnds("--socket", path, "--state-directory", "/tmp/unused-\(getpid())")
        #expect(end.status == 73 && end.log.contains("107"), "\(end.log)")
    }

    @Test func `an unknown flag is a usage error`() async throws {
        let end = try await daemonThatEnds("--nonsense")
        #expect(end.status == 64)
    }

    private func mode(_ path: String) -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { return -1 }
        return Int(status.st_mode & 0o777)
    }
}
