import Foundation
import Glibc
import LabClient
import Synchronization

/// A daemon with the lab on a socket of its own.
final class LabDaemon: Sendable {
    let folder: String
    private let process = Mutex<Process?>(nil)

    var socket: String { "\(folder)/d.sock" }

    /// The folder with the programs: `VIEWMODELD_PROGRAMS`, else the debug build of the package.
    private static var programs: String {
        ProcessInfo.processInfo.environment["VIEWMODELD_PROGRAMS"]
            ?? URL(fileURLWithPath: #filePath).appending(path: "../../../../../../.build/debug").standardized.path
    }

    private init() throws {
        folder = "/tmp/swift-client-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Runs a daemon during a test.
    static func run(_ test: (LabDaemon) async throws -> Void) async throws {
        let daemon = try LabDaemon()
        defer {
            daemon.stop()
            try? FileManager.default.removeItem(atPath: daemon.folder)
        }
        try await daemon.start()
        try await test(daemon)
    }

    /// Starts the program and waits until it listens.
    func start() async throws {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "\(Self.programs)/viewmodeld")
        program.arguments = ["--lab", "--socket", socket, "--state-directory", "\(folder)/state"]
        program.environment = ["HOME": folder, "XDG_CONFIG_HOME": "\(folder)/none", "PATH": "/usr/bin:/bin"]
        _ = FileManager.default.createFile(atPath: "\(folder)/log", contents: nil)
        let log = FileHandle(forWritingAtPath: "\(folder)/log")
        log?.seekToEndOfFile()
        program.standardError = log
        program.standardOutput = log
        try program.run()
        process.withLock { $0 = program }
        while true {
            do {
                return try await withViewModelClient(socket: socket) { _ in }
            } catch let error as ClientError where error.code == .noConnection {
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    /// Ends the program in order, and waits for its end.
    func stop() {
        let program = process.withLock { $0.take() }
        program?.terminate()
        program?.waitUntilExit()
    }

    /// Ends the program at once.
    func kill() {
        guard let program = process.withLock({ $0.take() }) else { return }
        Glibc.kill(program.processIdentifier, SIGKILL)
        program.waitUntilExit()
        try? FileManager.default.removeItem(atPath: socket)
    }
}
