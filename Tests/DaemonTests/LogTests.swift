import Foundation
import Subprocess
import SystemPackage
import Testing
import ViewModelProtocol

/// The log of the real daemon, on standard errors of all kinds.
@Suite struct LogTests {
    @Test func `a daemon whose log nobody reads goes on serving, and ends in time`() async throws {
        try await withFolder { folder in
            let stuck = try FileDescriptor.pipe()
            defer { stuck.readEnd.closeQuietly() }
            // Filled to the last byte, and never read.
            fill(stuck.writeEnd)
            let end = try await daemon(in: folder, log: stuck.writeEnd, "--log-level", "debug") { daemon in
                let connection = try daemon.connect()
                // More than the queue of the log takes.
                for number in 0..<3000 {
                    let noisy = try daemon.connect()
                    noisy.sendLine("{")
                    #expect(try noisy.message()["error"]?["code"]?.intValue == -32700)
                    if number.isMultiple(of: 500) {
                        #expect(try connection.call("viewModel.list")["result"] != nil)
                    }
                }
            }
            #expect(end == .exited(0))
        }
    }

    @Test func `under a service manager each line begins with its priority`() async throws {
        try await withFolder { folder in
            let log = try FileDescriptor.pipe()
            var status = stat()
            #expect(fstat(log.writeEnd.rawValue, &status) == 0)
            let end = try await daemon(
                in: folder,
                log: log.writeEnd,
                environment: ["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"],
                "--lab"
            ) { daemon in
                let connection = try daemon.connect()
                let client = #"{"name":"evil\n<0>Forged uid=0","version":"1"}"#
                _ = try connection.call("session.attach", #"{"session":"desk","client":\#(client)}"#)
                _ = try connection.call("lab.fail", #"{"error":"broken"}"#)
            }
            #expect(end == .exited(0))
            let lines = try String(decoding: log.readEnd.readAll(), as: UTF8.self).split(separator: "\n")
            #expect(lines.allSatisfy { $0.contains(/^<[2-7]>[A-Z]/) }, "\(lines)")
            let failure = try #require(lines.first { $0.contains("action failed") })
            #expect(failure.hasPrefix("<6>") && failure.contains("error=broken"), "\(failure)")
            #expect(failure.contains("method=lab.fail") && failure.contains("uid=\(getuid())"), "\(failure)")
            #expect(failure.contains("pid=\(getpid())") && failure.contains(#"client="evil"#), "\(failure)")
        }
    }

    @Test func `a variable of another file's means nothing`() async throws {
        try await withFolder { folder in
            let log = try FileDescriptor.pipe()
            try await daemon(in: folder, log: log.writeEnd, environment: ["JOURNAL_STREAM": "1:1"]) { _ in }
            let text = String(decoding: try log.readEnd.readAll(), as: UTF8.self)
            #expect(text.contains(#/^\d{4}-\d\d-\d\dT[\d:.]+Z info Listening /#.anchorsMatchLineEndings()), "\(text)")
        }
    }

    @Test func `a daemon that cannot start says why before it ends`() async throws {
        try await withFolder { folder in
            try Data("mine".utf8).write(to: URL(fileURLWithPath: "\(folder)/d.sock"))
            let end = try await daemonThatEnds("--socket", "\(folder)/d.sock", "--state-directory", "\(folder)/state")
            #expect(end.status == 73)
            #expect(end.log.contains("critical") && end.log.contains("no socket"), "\(end.log)")
        }
    }

    @Test func `a reader of the log that has gone takes nothing with it`() async throws {
        try await withFolder { folder in
            let log = try FileDescriptor.pipe()
            try log.readEnd.close()
            let end = try await daemon(in: folder, log: log.writeEnd, "--lab") { daemon in
                let connection = try daemon.connect()
                _ = try connection.call("lab.fail", #"{"error":"broken"}"#)
                #expect(try connection.call("viewModel.list")["result"] != nil)
            }
            #expect(end == .exited(0))
        }
    }

    @Test func `a flood of one client is a line, and a count`() async throws {
        let end = try await withDaemon("--lab") { daemon in
            let connection = try daemon.connect()
            for _ in 0..<500 { _ = try connection.call("lab.fail", #"{"error":"broken"}"#) }
            let other = try daemon.connect()
            _ = try other.call("lab.fail", #"{"error":"broken"}"#)
        }
        let failures = end.log.split(separator: "\n").filter { $0.contains("action failed") }
        // One of each connection at once; the rest as counts, every few seconds and at the end.
        #expect(failures.count < 100, "\(failures.count)")
        #expect(failures.contains { $0.contains("repeated=") })
        let repeated = failures.compactMap { $0.firstMatch(of: /repeated=(\d+)/).flatMap { Int($0.1) } }
        let told = failures.count { !$0.contains("more") }
        #expect(told + repeated.reduce(0, +) == 501, "\(failures)")
    }

    /// Runs a daemon whose standard error is `log`, until it listens and `body` is done, then ends it by SIGTERM.
    @discardableResult
    private func daemon(
        in folder: String,
        log: FileDescriptor,
        environment: [Environment.Key: String] = [:],
        _ arguments: String...,
        body: @Sendable (TemporaryDaemon) async throws -> Void
    ) async throws -> TerminationStatus {
        let places = ["--socket", "\(folder)/s/d.sock", "--state-directory", "\(folder)/state"]
        return try await run(
            .path(FilePath("\(TemporaryDaemon.programs)/viewmodeld")),
            arguments: Arguments(places + arguments),
            environment: .inherit.updating(["XDG_CONFIG_HOME": "\(folder)/none", "HOME": folder])
                .updating(environment.mapValues { $0 }),
            input: .none,
            output: .discarded,
            error: .fileDescriptor(log, closeAfterSpawningProcess: true)
        ) { execution in
            let daemon = TemporaryDaemon(folder: folder, process: execution.processIdentifier.value)
            try await RawConnection.waitUntilListening(daemon.socket)
            try await body(daemon)
            try execution.send(signal: .terminate)
        }.terminationStatus
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try await body(folder)
    }

    private func fill(_ pipe: FileDescriptor) {
        let flags = fcntl(pipe.rawValue, F_GETFL)
        _ = fcntl(pipe.rawValue, F_SETFL, flags | O_NONBLOCK)
        let chunk = [UInt8](repeating: UInt8(ascii: "x"), count: 4096)
        while write(pipe.rawValue, chunk, chunk.count) > 0 {}
        while write(pipe.rawValue, chunk, 1) > 0 {}
        _ = fcntl(pipe.rawValue, F_SETFL, flags)
    }
}

extension FileDescriptor {
    /// Everything until all writers have gone.
    fileprivate func readAll() throws -> [UInt8] {
        defer { closeQuietly() }
        var all: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = try chunk.withUnsafeMutableBytes { try read(into: $0) }
            guard count > 0 else { return all }
            all += chunk[..<count]
        }
    }

    fileprivate func closeQuietly() {
        try? close()
    }
}
