import Foundation
import TestSupport
import Testing
import ViewModelProtocol

/// The sockets and files of a running daemon.
@Suite struct DaemonLifecycleTests {
    private let folder = TemporaryFolder()

    @Test func `socket, log and limits are as the file has them`() async throws {
        let group = getegid()
        let text = """
            socket: {mode: 0660, group: \(group)}
            lab: true
            limits: {batch: 1}
            log: {format: json}
            """
        let end = try await withDaemon("--config", folder.write(text, to: "d.yaml")) { daemon in
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

    @Test func `a check of the configuration starts nothing`() async throws {
        let file = try folder.write("limits: {batch: 3}", to: "d.yaml")
        let end = try await daemonThatEnds(folder.places + ["--check-config", "--config", file])
        #expect(end.status == 0 && end.log.contains("the configuration is valid"), "\(end.log)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["d.yaml"])
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
        let path = "\(folder)/s/d.sock"
        let end = try await withDaemon(folder: folder) { daemon in
            try FileManager.default.removeItem(atPath: "\(daemon.folder)/s")
            try FileManager.default.createDirectory(atPath: "\(daemon.folder)/s", withIntermediateDirectories: true)
            let other = PassedSocket(path)
            try await daemon.waitForLog("listens at \(path) already")
            _ = try RawConnection(other.path)
            kill(daemon.process, SIGTERM)
            try await daemon.waitForLog("Stopped")
            #expect(FileManager.default.fileExists(atPath: path))
        }
        #expect(end.status == 0, "\(end.log)")
    }

    private func mode(_ path: String) -> Int {
        var status = stat()
        guard stat(path, &status) == 0 else { return -1 }
        return Int(status.st_mode & 0o777)
    }
}
