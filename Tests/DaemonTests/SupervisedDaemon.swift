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
    static func notifying(_ manager: DatagramSocket, watchdog milliseconds: Int? = nil) -> ServiceSettings {
        var settings = ServiceSettings()
        settings.variables["NOTIFY_SOCKET"] = manager.address
        if let milliseconds {
            settings.variables["WATCHDOG_USEC"] = "\(milliseconds)000"
            settings.variables["WATCHDOG_PID"] = "$$"
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
    folder: String,
    arguments: [String] = [],
    _ body: @Sendable (Int32) async throws -> Void = { _ in }
) async throws -> DaemonEnd {
    let nothing = try FileDescriptor.open("/dev/null", .readWrite)
    defer { try? nothing.close() }
    let passed = settings.sockets.map { FileDescriptor(rawValue: $0) }
    let result = try await run(
        .path("/bin/sh"),
        arguments: Arguments(
            ["-c", settings.script, "sh", TemporaryDaemon.path(of: program)]
                + ["--state-directory", "\(folder)/state"] + arguments
        ),
        environment: .inherit.updating(["XDG_CONFIG_HOME": "\(folder)/none", "HOME": folder]),
        input: .fileDescriptor(passed.first ?? nothing, closeAfterSpawningProcess: false),
        output: .fileDescriptor(passed.dropFirst().first ?? nothing, closeAfterSpawningProcess: false),
        error: .string(limit: 1 << 20)
    ) { execution in
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(execution.processIdentifier.value))
        } catch {
            result = .failure(error)
        }
        if !settings.waitsForEnd { try? execution.send(signal: .terminate) }
        try result.get()
    }
    return DaemonEnd(result.terminationStatus, log: result.standardError)
}
