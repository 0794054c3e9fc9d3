import Foundation
import Subprocess
import SystemPackage
import TestSupport

/// What a service manager gives a daemon that it starts.
struct ServiceSettings: Sendable {
    /// The descriptors that it passes; at most two.
    var sockets: [Int32] = []
    /// The process that they are said to be for; `$$` is the daemon itself.
    var owner = "$$"
    /// Variables of the environment, whose values may mention `$$`.
    var variables: [String: String] = [:]
    /// Whether it waits for the daemon to end instead of ending it.
    var waitsForEnd = false

    /// The settings of a manager that wants to be notified, and to see signs of life where it has a time-out.
    ///
    /// It passes `socket`, and sets further variables.
    static func notifying(
        _ manager: DatagramSocket,
        watchdog milliseconds: Int? = nil,
        socket: PassedSocket? = nil,
        _ variables: [String: String] = [:]
    ) -> ServiceSettings {
        var settings = ServiceSettings(sockets: socket.map { [$0.descriptor] } ?? [], variables: variables)
        settings.variables["NOTIFY_SOCKET"] = manager.address
        if let milliseconds {
            settings.variables["WATCHDOG_USEC"] = "\(milliseconds)000"
            settings.variables["WATCHDOG_PID"] = variables["WATCHDOG_PID"] ?? "$$"
        }
        return settings
    }

    /// The start of the daemon by a shell, which knows the number of its process before that is the daemon.
    fileprivate var script: String {
        var lines = variables.map { "export \($0)=\"\($1)\"" }
        if !sockets.isEmpty { lines.append("export LISTEN_FDS=\(sockets.count) LISTEN_PID=\(owner)") }
        // The sockets come as standard input and output, because these are what a child is given.
        if !sockets.isEmpty { lines.append("exec 3<&0 </dev/null") }
        if sockets.count > 1 { lines.append("exec 4>&1 >/dev/null") }
        return (lines + ["exec \"$@\""]).joined(separator: "; ")
    }
}

/// Starts a daemon the way a service manager does, runs `body` with its process, then ends it by SIGTERM.
///
/// The body has to wait until the daemon is ready: a signal before that ends it as any program.
@discardableResult
func withSupervisedDaemon(
    _ settings: ServiceSettings,
    of program: DaemonUnderTest = .viewmodeld,
    folder: TemporaryFolder,
    arguments: [String] = [],
    _ body: @Sendable (Int32) async throws -> Void = { _ in }
) async throws -> DaemonEnd {
    let nothing = try FileDescriptor.open("/dev/null", .readWrite)
    defer { try? nothing.close() }
    let passed = settings.sockets.map { FileDescriptor(rawValue: $0) }
    let start = ["-c", settings.script, "sh", TemporaryDaemon.path(of: program)]
    let result = try await run(
        .path("/bin/sh"),
        arguments: Arguments(start + ["--state-directory", "\(folder)/state"] + arguments),
        environment: folder.environment(),
        input: .fileDescriptor(passed.first ?? nothing, closeAfterSpawningProcess: false),
        output: .fileDescriptor(passed.dropFirst().first ?? nothing, closeAfterSpawningProcess: false),
        error: .string(limit: 1 << 20)
    ) { execution in
        try await ending(execution, with: settings.waitsForEnd ? nil : .terminate) {
            try await body(execution.processIdentifier.value)
        }
    }
    return DaemonEnd(result.terminationStatus, log: result.standardError)
}
