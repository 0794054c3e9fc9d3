import TestSupport
import Foundation
import Testing

/// `viewmodeld vault …` on a stopped daemon's state.
@Suite struct VaultTests {
    @Test func `a rotation changes the key and keeps the users signed in`() async throws {
        try await withSignedInState { folder in
            let before = try key(in: folder)
            let end = try await vault("rotate", folder)
            #expect(end.status == 0, "\(end.log)")
            #expect(try key(in: folder) != before)
            #expect(try await isSignedIn(folder))
        }
    }

    @Test func `the tokens of a key that was exchanged are adopted, and until then nothing is lost`() async throws {
        try await withSignedInState { folder in
            let former = "\(folder)/former.key"
            try FileManager.default.moveItem(atPath: "\(folder)/state/vault.key", toPath: former)
            let other = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
            try Data("\(other)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/state/vault.key"))
            chmod("\(folder)/state/vault.key", 0o600)
            #expect(try await vault("adopt", folder, former).status == 0)
            #expect(try key(in: folder).contains(other))
            #expect(try await isSignedIn(folder))
        }
    }

    @Test func `without its key the daemon does not start, says what to do, and loses nothing`() async throws {
        try await withSignedInState { folder in
            let key = "\(folder)/state/vault.key"
            try FileManager.default.moveItem(atPath: key, toPath: "\(folder)/former.key")
            let end = try await daemonThatEnds("--socket", "\(folder)/s/d.sock", "--state-directory", "\(folder)/state")
            #expect(end.status == 78 && end.log.contains("vault clear"), "\(end.log)")
            #expect(!FileManager.default.fileExists(atPath: key), "a new key opens nothing")
            try FileManager.default.moveItem(atPath: "\(folder)/former.key", toPath: key)
            #expect(try await isSignedIn(folder))
        }
    }

    @Test func `with another key the daemon does not start, and a cleared vault gets a new key`() async throws {
        try await withSignedInState { folder in
            let other = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
            try Data("\(other)\n".utf8).write(to: URL(fileURLWithPath: "\(folder)/state/vault.key"))
            let end = try await daemonThatEnds("--socket", "\(folder)/s/d.sock", "--state-directory", "\(folder)/state")
            #expect(end.status == 78 && end.log.contains("vault adopt"), "\(end.log)")
            #expect(try await vault("clear", folder).status == 0)
            try await withDaemon(folder: folder) { daemon in
                let login = try await daemon.ctl(input: "correct horse\n", "login", "ada")
                #expect(login.status == 0, "\(login.errors)")
            }
        }
    }

    @Test func `a running daemon keeps its vault to itself`() async throws {
        try await withDaemon { daemon in
            let end = try await vault("rotate", daemon.folder)
            #expect(end.status == 73 && end.log.contains("\(daemon.process)"), "\(end.log)")
        }
    }

    @Test func `a former key that others can read is refused`() async throws {
        try await withSignedInState { folder in
            let former = "\(folder)/former.key"
            try FileManager.default.copyItem(atPath: "\(folder)/state/vault.key", toPath: former)
            chmod(former, 0o640)
            let end = try await vault("adopt", folder, former)
            #expect(end.status == 78 && end.log.contains("chmod 600 \(former)"), "\(end.log)")
            chmod("\(folder)/state/vault.key", 0o640)
            let rotation = try await vault("rotate", folder)
            #expect(rotation.status == 78 && rotation.log.contains("chmod 600"), "\(rotation.log)")
            chmod("\(folder)/state/vault.key", 0o600)
            #expect(try await isSignedIn(folder))
        }
    }

    @Test func `a vault command writes no core dump, whatever ends it`() async throws {
        try await withSignedInState { folder in
            let former = "\(folder)/former.key"
            try "no key".write(toFile: former, atomically: true, encoding: .utf8)
            chmod(former, 0o600)
            // The command has the vault's key in memory when it writes why it fails, and the pipe is full.
            let errors = Pipe()
            let writing = errors.fileHandleForWriting.fileDescriptor
            _ = fcntl(writing, F_SETFL, O_NONBLOCK)
            while write(writing, "\n", 1) > 0 {}
            _ = fcntl(writing, F_SETFL, 0)
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "\(TemporaryDaemon.programs)/viewmodeld")
            process.arguments = ["vault", "adopt", "--state-directory", "\(folder)/state", former]
            process.standardError = errors
            try process.run()
            let limitsFile = "/proc/\(process.processIdentifier)/limits"
            let isOff = { (line: Substring?) in line?.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"] }
            let end = ContinuousClock.now + .seconds(60)
            var line: Substring?
            while !isOff(line), process.isRunning, ContinuousClock.now < end {
                let limits = try String(contentsOfFile: limitsFile, encoding: .utf8)
                line = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
                await Task.yield()
            }
            #expect(isOff(line), "\(line ?? "")")
            try? errors.fileHandleForWriting.close()
            _ = try errors.fileHandleForReading.readToEnd()
            process.waitUntilExit()
            #expect(process.terminationStatus == 78)
        }
    }

    @Test func `a state directory that is not there is an error`() async throws {
        let end = try await vault("rotate", "/nonexistent")
        #expect(end.status == 73 && end.log.contains("/nonexistent"), "\(end.log)")
    }

    private func vault(_ verb: String, _ folder: String, _ arguments: String...) async throws -> DaemonEnd {
        try await daemonThatEnds(["vault", verb, "--state-directory", "\(folder)/state"] + arguments)
    }

    private func key(in folder: String) throws -> String {
        try String(contentsOfFile: "\(folder)/state/vault.key", encoding: .utf8)
    }

    /// The folder of a daemon that has ended with a user signed in.
    private func withSignedInState(_ body: (String) async throws -> Void) async throws {
        let folder = try TemporaryFolder.make()
        defer { TemporaryFolder.remove(folder) }
        try await withDaemon(folder: folder) { daemon in
            let register = try await daemon.ctl("call", "login.register", "account=ada", "password=correct horse")
            #expect(register.status == 0, "\(register.errors)")
            let login = try await daemon.ctl(input: "correct horse\n", "login", "ada")
            #expect(login.status == 0, "\(login.errors)")
        }
        try await body(folder)
    }

    private func isSignedIn(_ folder: String) async throws -> Bool {
        let end = try await withDaemon(folder: folder) { daemon in
            let state = try await daemon.ctl("wait", "login", "state=signedIn", "--timeout", "60")
            guard state.status == 0 else { throw RawConnection.Failure(what: state.errors) }
        }
        return end.status == 0
    }
}
