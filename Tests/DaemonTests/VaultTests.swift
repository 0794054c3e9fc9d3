import TestSupport
import Foundation
import Testing

/// `viewmodeld vault …` on a stopped daemon's state.
@Suite struct VaultTests {
    private let folder = TemporaryFolder()
    private var keyFile: String { "\(folder)/state/vault.key" }

    @Test func `the tokens of a key that was exchanged are adopted, and until then nothing is lost`() async throws {
        try await withSignedInState {
            let former = "\(folder)/former.key"
            try FileManager.default.moveItem(atPath: keyFile, toPath: former)
            let other = try writeAnotherKey()
            chmod(keyFile, 0o600)
            #expect(try await vault("adopt", former).status == 0)
            #expect(try key().contains(other))
            #expect(try await isSignedIn())
        }
    }

    @Test func `with another key the daemon does not start, and a cleared vault gets a new key`() async throws {
        try await withSignedInState {
            _ = try writeAnotherKey()
            let end = try await daemonThatEnds(folder.places)
            #expect(end.status == 78 && end.log.contains("vault adopt"), "\(end.log)")
            #expect(try await vault("clear").status == 0)
            try await withDaemon(folder: folder) { daemon in
                let login = try await daemon.ctl(input: "correct horse\n", "login", "ada")
                #expect(login.status == 0, "\(login.errors)")
            }
        }
    }

    @Test func `a running daemon keeps its vault to itself`() async throws {
        try await withDaemon(folder: folder) { daemon in
            let end = try await vault("rotate")
            #expect(end.status == 73 && end.log.contains("\(daemon.process)"), "\(end.log)")
        }
    }

    @Test func `a former key that others can read is refused`() async throws {
        try await withSignedInState {
            let former = "\(folder)/former.key"
            try FileManager.default.copyItem(atPath: keyFile, toPath: former)
            chmod(former, 0o640)
            let end = try await vault("adopt", former)
            #expect(end.status == 78 && end.log.contains("chmod 600 \(former)"), "\(end.log)")
            chmod(keyFile, 0o640)
            let rotation = try await vault("rotate")
            #expect(rotation.status == 78 && rotation.log.contains("chmod 600"), "\(rotation.log)")
            chmod(keyFile, 0o600)
            #expect(try await isSignedIn())
        }
    }

    @Test func `a vault command writes no core dump, whatever ends it`() async throws {
        try await withSignedInState {
            let former = try folder.write("no key", to: "former.key")
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

    private func vault(_ verb: String, _ arguments: String...) async throws -> DaemonEnd {
        try await daemonThatEnds(["vault", verb, "--state-directory", "\(folder)/state"] + arguments)
    }

    private func key() throws -> String { try folder.read("state/vault.key") }

    /// Writes a key that is not the one of the vault, and returns it.
    private func writeAnotherKey() throws -> String {
        let key = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        try folder.write("\(key)\n", to: "state/vault.key")
        return key
    }

    /// Runs `body` after a daemon that has ended with a user signed in.
    private func withSignedInState(_ body: () async throws -> Void) async throws {
        try await withDaemon(folder: folder) { daemon in
            let register = try await daemon.ctl("call", "login.register", "account=ada", "password=correct horse")
            #expect(register.status == 0, "\(register.errors)")
            let login = try await daemon.ctl(input: "correct horse\n", "login", "ada")
            #expect(login.status == 0, "\(login.errors)")
        }
        try await body()
    }

    private func isSignedIn() async throws -> Bool {
        let end = try await withDaemon(folder: folder) { daemon in
            let state = try await daemon.ctl("wait", "login", "state=signedIn", "--timeout", "60")
            guard state.status == 0 else { throw RawConnection.Failure(what: state.errors) }
        }
        return end.status == 0
    }
}
