import TestSupport
import Foundation
import Subprocess
import SystemPackage

/// A real daemon process with a socket and a state directory of its own.
struct TemporaryDaemon: Sendable {
    let folder: String
    let process: Int32

    var socket: String { "\(folder)/s/d.sock" }
    var state: String { "\(folder)/state" }

    /// The folder with the programs under test: `VIEWMODELD_PROGRAMS`, else that of the running test bundle.
    static var programs: String {
        ProcessInfo.processInfo.environment["VIEWMODELD_PROGRAMS"] ?? built
    }

    /// The folder of the running test bundle, with all programs of the package.
    static var built: String {
        let executable = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: executable).deletingLastPathComponent().path
    }

    /// The path of `viewmodeld`, or of a daemon that does not ship.
    static func path(of program: DaemonUnderTest) -> String {
        "\(program == .viewmodeld ? programs : built)/\(program.rawValue)"
    }

    /// The daemon's resident memory in bytes.
    func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// What the daemon has logged so far.
    var log: String { (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "" }

    /// Waits until the daemon has logged a text.
    func waitForLog(_ text: String) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while !log.contains(text) {
            guard ContinuousClock.now < end else { throw RawConnection.Failure(what: "\(text) in the log: \(log)") }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    /// Opens a connection that speaks raw bytes.
    func connect() throws -> RawConnection {
        try RawConnection(socket)
    }

    /// Opens a connection, called snail, whose client has asked for more than it has taken.
    func connectSlowly() throws -> RawConnection {
        let slow = try connect()
        _ = try slow.call("session.attach", #"{"session":"slow","client":{"name":"snail","version":"1"}}"#)
        // Documents of many kilobytes; the socket takes some hundred.
        for id in 0..<RawConnection.manyReplies {
            slow.sendLine(#"{"jsonrpc":"2.0","id":\#(id),"method":"rpc.discover"}"#)
        }
        // What came before the request of another has been read.
        _ = try connect().call("viewModel.list")
        return slow
    }

    /// Runs the command line tool against this daemon, by default as the tests' own user.
    func ctl(
        as user: User? = nil,
        input: String = "",
        _ arguments: String...
    ) async throws -> (status: Int, output: String, errors: String) {
        try await ctl(as: user, input: input, arguments: arguments)
    }

    /// Runs the command line tool against this daemon, by default as the tests' own user.
    func ctl(
        as user: User? = nil,
        input: String = "",
        arguments: [String]
    ) async throws -> (status: Int, output: String, errors: String) {
        let program = "\(user == nil ? Self.programs : folder)/viewmodelctl"
        let words = (user?.command ?? []) + [program, "--socket", socket] + arguments
        let result = try await run(
            .path(FilePath(words[0])),
            arguments: Arguments(Array(words.dropFirst())),
            input: .string(input),
            output: .string(limit: 1 << 20),
            error: .string(limit: 1 << 20)
        )
        guard case .exited(let status) = result.terminationStatus else { return (-1, "", "") }
        return (Int(status), result.standardOutput, result.standardError)
    }
}

/// A daemon that the tests run.
enum DaemonUnderTest: String, Sendable {
    case viewmodeld
    /// The daemon of `Tests/TallyDaemon`, which is called `tally-d`.
    case tallyd
}

/// How a daemon ended, and what it wrote.
struct DaemonEnd: Sendable {
    /// The exit code; nil when a signal ended it.
    let status: Int?
    let log: String

    init(_ status: TerminationStatus, log: String) {
        if case .exited(let code) = status { self.status = Int(code) } else { self.status = nil }
        self.log = log
    }
}

/// Starts a daemon in a separate folder, waits until it listens, runs `body`, then ends the daemon with SIGTERM.
///
/// If `isAwaited` is false, `body` runs at once, before the daemon listens.
@discardableResult
func withDaemon(
    _ arguments: String...,
    of program: DaemonUnderTest = .viewmodeld,
    folder given: String? = nil,
    variables: [String: String] = [:],
    isAwaited: Bool = true,
    _ body: @Sendable (TemporaryDaemon) async throws -> Void
) async throws -> DaemonEnd {
    let folder = try given ?? TemporaryFolder.make()
    defer { if given == nil { TemporaryFolder.remove(folder) } }
    let log = try FileDescriptor.open(
        "\(folder)/log",
        .writeOnly,
        options: [.create, .append],
        permissions: [.ownerReadWrite]
    )
    let result = try await run(
        .path(FilePath(TemporaryDaemon.path(of: program))),
        arguments: Arguments(["--socket", "\(folder)/s/d.sock", "--state-directory", "\(folder)/state"] + arguments),
        environment: .inherit.updating(["XDG_CONFIG_HOME": "\(folder)/none", "HOME": folder])
            .updating(Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) })),
        input: .none,
        output: .discarded,
        error: .fileDescriptor(log, closeAfterSpawningProcess: true)
    ) { execution in
        let daemon = TemporaryDaemon(folder: folder, process: execution.processIdentifier.value)
        let failure: (any Error)?
        do {
            if isAwaited { try await RawConnection.waitUntilListening(daemon.socket) }
            try await body(daemon)
            failure = nil
        } catch {
            failure = error
        }
        try? execution.send(signal: .terminate)
        if let failure { throw failure }
    }
    return DaemonEnd(result.terminationStatus, log: try String(contentsOfFile: "\(folder)/log", encoding: .utf8))
}

/// Runs a daemon that is expected to end by itself.
func daemonThatEnds(
    _ arguments: String...,
    of program: DaemonUnderTest = .viewmodeld,
    variables: [String: String] = [:]
) async throws -> DaemonEnd {
    try await daemonThatEnds(arguments, of: program, variables: variables)
}

/// Runs a daemon that is expected to end by itself.
func daemonThatEnds(
    _ arguments: [String],
    of program: DaemonUnderTest = .viewmodeld,
    variables: [String: String] = [:]
) async throws -> DaemonEnd {
    let result = try await run(
        .path(FilePath(TemporaryDaemon.path(of: program))),
        arguments: Arguments(arguments),
        environment: .inherit.updating(
            Dictionary(uniqueKeysWithValues: variables.map { (Environment.Key(stringLiteral: $0), $1) })
        ),
        output: .string(limit: 1 << 20),
        error: .string(limit: 1 << 20)
    )
    return DaemonEnd(result.terminationStatus, log: result.standardOutput + result.standardError)
}

/// Folders that a test makes and removes.
enum TemporaryFolder {
    static func make() throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("vmd-\(UUID().uuidString.prefix(8))")
            .path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}
