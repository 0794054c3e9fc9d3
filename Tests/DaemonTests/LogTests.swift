import TestSupport
import Foundation
import Subprocess
import SystemPackage
import Testing
import ViewModelProtocol

/// The log of the real daemon, on standard errors of all kinds.
@Suite struct LogTests {
    private let folder = TemporaryFolder()

    @Test func `a daemon whose log is not read goes on serving, and ends in time`() async throws {
        let stuck = try FileDescriptor.pipe()
        defer { stuck.readEnd.closeQuietly() }
        // Filled to the last byte, and never read.
        fill(stuck.writeEnd)
        let end = try await daemon(log: stuck.writeEnd, "--log-level", "debug") { daemon in
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

    @Test func `under a service manager each line begins with its priority`() async throws {
        let log = try FileDescriptor.pipe()
        var status = stat()
        #expect(fstat(log.writeEnd.rawValue, &status) == 0)
        let end = try await daemon(
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
        let failure = try #require(lines.first { $0.contains("An action failed") })
        #expect(failure.hasPrefix("<6>") && failure.contains("error=broken"), "\(failure)")
        #expect(failure.contains("method=lab.fail") && failure.contains("uid=\(getuid())"), "\(failure)")
        #expect(failure.contains("pid=\(getpid())") && failure.contains(#"client="evil"#), "\(failure)")
    }

    @Test func `the incident that a reply names is in the log by then`() async throws {
        try await withDaemon("--lab") { daemon in
            let connection = try daemon.connect()
            for _ in 0..<100 {
                let data = try connection.call("lab.trap")["error"]?["data"]
                let incident = try #require(data?["incident"]?.stringValue)
                #expect(daemon.log.contains("incident=\(incident)"))
            }
        }
    }

    @Test func `a variable of another file's means nothing`() async throws {
        let log = try FileDescriptor.pipe()
        try await daemon(log: log.writeEnd, environment: ["JOURNAL_STREAM": "1:1"]) { _ in }
        let text = String(decoding: try log.readEnd.readAll(), as: UTF8.self)
        #expect(text.contains(#/^\d{4}-\d\d-\d\dT[\d:.]+Z info Listening /#.anchorsMatchLineEndings()), "\(text)")
    }

    @Test func `a reader of the log that has gone takes nothing with it`() async throws {
        let log = try FileDescriptor.pipe()
        try log.readEnd.close()
        let end = try await daemon(log: log.writeEnd, "--lab") { daemon in
            let connection = try daemon.connect()
            _ = try connection.call("lab.fail", #"{"error":"broken"}"#)
            #expect(try connection.call("viewModel.list")["result"] != nil)
        }
        #expect(end == .exited(0))
    }

    @Test func `a client that stays behind is named, and named again when it has caught up`() async throws {
        let log = try FileDescriptor.pipe()
        defer { log.readEnd.closeQuietly() }
        try await daemon(log: log.writeEnd) { daemon in
            let slow = try daemon.connectSlowly()
            let behind = try log.readEnd.line(with: "does not keep up")
            #expect(behind.contains(" notice ") && behind.contains("client=snail"), "\(behind)")
            #expect(behind.contains("uid=\(getuid())") && behind.contains("pid=\(getpid())"), "\(behind)")
            for _ in 0..<RawConnection.manyReplies { _ = try slow.line() }
            #expect(try log.readEnd.line(with: "has caught up").contains("client=snail"))
        }
    }

    @Test func `a process without descriptors says so once, and once when it has some again`() async throws {
        let log = try FileDescriptor.pipe()
        try await daemon(log: log.writeEnd, descriptors: 64) { daemon in
            // What is read at a user's first connection needs descriptors, too.
            _ = try daemon.connect().call("viewModel.list")
            do {
                let crowd = try (0..<100).map { _ in try daemon.connect() }
                #expect(try log.readEnd.line(with: "No connection can be accepted").contains(" error "))
                withExtendedLifetime(crowd) {}
            }
            // The end is noticed with a connection that comes when there was peace for a second.
            while !log.readEnd.hasInput { _ = try daemon.connect().call("viewModel.list") }
        }
        let rest = try String(decoding: log.readEnd.readAll(), as: UTF8.self)
        // On a slow machine a second passes between two attempts, and the same crowd causes another outage.
        let turns = rest.matches(of: #/No connection can be accepted|Connections are accepted again failures=/#)
        for (index, turn) in turns.enumerated() {
            #expect(turn.output.hasPrefix("Connections") == index.isMultiple(of: 2), "\(rest)")
        }
        #expect(!turns.isEmpty, "\(rest)")
    }

    /// Starts a daemon whose standard error is `log`, waits until it listens, runs `body`, then sends SIGTERM.
    ///
    /// `descriptors` is the daemon's limit of open files and sockets.
    @discardableResult
    private func daemon(
        log: FileDescriptor,
        environment: [String: String] = [:],
        descriptors: Int = 1024,
        _ arguments: String...,
        body: @Sendable (TemporaryDaemon) async throws -> Void
    ) async throws -> TerminationStatus {
        let start = ["-c", "ulimit -n \(descriptors); exec \"$0\" \"$@\"", "\(TemporaryDaemon.programs)/viewmodeld"]
        return try await run(
            .path("/bin/sh"),
            arguments: Arguments(start + folder.places + arguments),
            environment: folder.environment(environment),
            input: .none,
            output: .discarded,
            error: .fileDescriptor(log, closeAfterSpawningProcess: true)
        ) { execution in
            let daemon = TemporaryDaemon(folder: folder.path, process: execution.processIdentifier.value)
            try await ending(execution, with: .terminate) {
                try await RawConnection.waitUntilListening(daemon.socket)
                try await body(daemon)
            }
        }.terminationStatus
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

    /// Reads on until a line has this text, for at most two minutes; what comes after it is lost.
    fileprivate func line(with text: String) throws -> String {
        let end = ContinuousClock.now + .seconds(120)
        var all = ""
        while ContinuousClock.now < end {
            guard hasInput else { continue }
            var chunk = [UInt8](repeating: 0, count: 4096)
            let count = try chunk.withUnsafeMutableBytes { try read(into: $0) }
            guard count > 0 else { break }
            all += String(decoding: chunk[..<count], as: UTF8.self)
            let lines = all.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            if let line = lines.first(where: { $0.contains(text) }) { return String(line) }
        }
        throw RawConnection.Failure(what: "no line of the log has \"\(text)\": \(all)")
    }

    /// Whether there is something to read; waits for it up to a tenth of a second.
    fileprivate var hasInput: Bool {
        var watched = pollfd(fd: rawValue, events: Int16(POLLIN), revents: 0)
        return poll(&watched, 1, 100) > 0
    }

    fileprivate func closeQuietly() {
        try? close()
    }
}
