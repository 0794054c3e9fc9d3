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

    /// What the command line tool wrote, and its exit code.
    typealias CommandEnd = (status: Int, output: String, errors: String)

    /// Runs the command line tool against this daemon, by default as the tests' own user.
    func ctl(as user: User? = nil, input: String = "", _ arguments: String...) async throws -> CommandEnd {
        try await ctl(as: user, input: input, arguments: arguments)
    }

    /// Runs the command line tool against this daemon, by default as the tests' own user.
    func ctl(as user: User? = nil, input: String = "", arguments: [String]) async throws -> CommandEnd {
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
    folder: TemporaryFolder = TemporaryFolder(),
    variables: [String: String] = [:],
    isAwaited: Bool = true,
    _ body: @Sendable (TemporaryDaemon) async throws -> Void
) async throws -> DaemonEnd {
    let result = try await run(
        .path(FilePath(TemporaryDaemon.path(of: program))),
        arguments: Arguments(folder.places + arguments),
        environment: folder.environment(variables),
        input: .none,
        output: .discarded,
        error: .fileDescriptor(folder.log(), closeAfterSpawningProcess: true)
    ) { execution in
        try await ending(execution, with: .terminate) {
            let daemon = TemporaryDaemon(folder: folder.path, process: execution.processIdentifier.value)
            if isAwaited { try await RawConnection.waitUntilListening(daemon.socket) }
            try await body(daemon)
        }
    }
    return DaemonEnd(result.terminationStatus, log: try String(contentsOfFile: "\(folder)/log", encoding: .utf8))
}

/// Runs `body`, and sends a signal to the process after it, also if it fails.
func ending<Input, Output, Failure>(
    _ execution: Execution<Input, Output, Failure>,
    with signal: Signal?,
    _ body: () async throws -> Void
) async throws {
    let result: Result<Void, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    if let signal { try? execution.send(signal: signal) }
    try result.get()
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
        environment: .inherit.updating(variables.asEnvironment),
        output: .string(limit: 1 << 20),
        error: .string(limit: 1 << 20)
    )
    return DaemonEnd(result.terminationStatus, log: result.standardOutput + result.standardError)
}

/// A folder that is removed with this object, and the places of a daemon in it.
final class TemporaryFolder: Sendable, CustomStringConvertible {
    let path = FileManager.default.temporaryDirectory.appending(path: "vmd-\(UUID().uuidString.prefix(8))").path

    init() {
        try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var description: String { path }

    /// The arguments with the socket and the state directory in this folder.
    var places: [String] { ["--socket", "\(path)/s/d.sock", "--state-directory", "\(path)/state"] }

    /// The environment of a daemon, which finds no configuration of the machine.
    func environment(_ variables: [String: String] = [:]) -> Environment {
        .inherit.updating(["XDG_CONFIG_HOME": "\(path)/none", "HOME": path]).updating(variables.asEnvironment)
    }

    /// Opens the file for the log of a process.
    func log() throws -> FileDescriptor {
        try .open("\(path)/log", .writeOnly, options: [.create, .append], permissions: [.ownerReadWrite])
    }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let file = "\(path)/\(name)"
        let directory = URL(fileURLWithPath: file).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try text.write(toFile: file, atomically: false, encoding: .utf8)
        return file
    }

    /// Reads a file.
    func read(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
}

extension [String: String] {
    fileprivate var asEnvironment: [Environment.Key: String?] {
        [Environment.Key: String?](uniqueKeysWithValues: map { (Environment.Key(stringLiteral: $0), $1) })
    }
}
