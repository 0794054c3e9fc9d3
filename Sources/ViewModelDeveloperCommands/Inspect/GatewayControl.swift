import Foundation
import Glibc
import UnixIO
import ViewModelClient
import ViewModelCommands

/// The control socket of the person's gateway.
struct GatewayControl: Sendable {
    static let program = "viewmodel-gateway"
    private static let step = Duration.milliseconds(20)
    private static let longestReply = 1 << 16
    /// The exit status of a gateway that cannot listen, perhaps because another command has started one just now.
    private static let cannotListen: Int32 = 73

    struct Page: Equatable {
        /// The address, with a one-time token in its fragment.
        let address: String
        /// The path of the socket of the daemon that the gateway serves.
        let daemon: String
    }

    /// The directory of the control socket, which only the person can enter.
    let directory: String
    /// The longest wait for the start of a gateway, and for a place in its queue.
    var patience = Duration.seconds(10)

    private var socketPath: String { "\(directory)/\(Self.program).sock" }

    /// Whether a gateway that has started, or starts, holds the lock of the control socket.
    private var isLocked: Bool {
        let lock = open("\(socketPath).lock".cPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard lock >= 0 else { return false }
        defer { close(lock) }
        return flock(lock, LOCK_SH | LOCK_NB) != 0
    }

    /// Returns the address of a page with a new token, and starts a gateway if none is running.
    ///
    /// `isControlling` says whether the page may send inputs and run actions. A new gateway serves `daemon`.
    func page(isControlling: Bool, daemon: String) async throws -> Page {
        if let page = try await request(isControlling) { return page }
        guard let program = ProgramPath.find(Self.program) else {
            throw CommandFailure(
                .noConnection,
                "\(Self.program) is not running, and it is neither beside viewmodelctl nor in PATH",
                remedy: "Install it"
            )
        }
        do {
            try Folder.makeAll(directory, mode: 0o700)
        } catch {
            throw CommandFailure(
                .failed,
                "\(directory) cannot be made: \(error)",
                remedy: "Set XDG_RUNTIME_DIR to a directory that this user can write to"
            )
        }
        let log = directory + "/log"
        let gateway = try LoggedProgram(program, ["--socket", daemon, "--runtime-directory", directory], log: log)
        let start = ContinuousClock.now
        var isStarting = true
        while isStarting, ContinuousClock.now - start < patience {
            // The last request follows the end of the gateway.
            isStarting = gateway.process.isRunning || gateway.process.status == Self.cannotListen && isLocked
            if let page = try await request(isControlling) { return page }
            try await Task.sleep(for: Self.step)
        }
        let reason = gateway.lines.last.map(String.init) ?? "see \(log)"
        throw CommandFailure(.noConnection, "the gateway does not start: \(reason)")
    }

    /// Asks for a token; returns nil if no gateway listens.
    private func request(_ isControlling: Bool) async throws -> Page? {
        let body = #"{"scope":"\#(isControlling ? "act" : "observe")"}"#
        let head = "POST /tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        guard let reply = try await exchange(head + "Content-Length: \(body.utf8.count)\r\n\r\n" + body) else {
            return nil
        }
        // A gateway that cannot start says why.
        if reply.hasPrefix("HTTP/1.1 503 "), let end = reply.range(of: "\r\n\r\n") {
            let reason = reply[end.upperBound...].split(whereSeparator: \.isNewline).joined(separator: "; ")
            throw CommandFailure(.noConnection, reason)
        }
        guard let end = reply.range(of: "\r\n\r\n"), let value = JSONValue(text: String(reply[end.upperBound...])),
            let address = value["url"]?.stringValue, let daemon = value["daemon"]?.stringValue
        else {
            throw CommandFailure(.protocolError, "\(socketPath) is no control socket of a gateway")
        }
        return Page(address: address, daemon: daemon)
    }

    /// Sends a request and returns the whole reply; nil if no gateway listens or it goes away.
    ///
    /// - Throws: `CancellationError` once the task is cancelled, also while the gateway does not answer.
    private func exchange(_ request: String) async throws -> String? {
        guard let connection = try await connected() else { return nil }
        return try await BlockingThread.run {
            defer { close(connection) }
            let descriptor = Descriptor(number: connection)
            guard (try? descriptor.write(Array(request.utf8))) != nil,
                let reply = try? descriptor.read(atMost: Self.longestReply), !reply.isEmpty
            else { return nil }
            return String(decoding: reply, as: UTF8.self)
        }
    }

    /// Connects to the gateway; returns nil if none listens, or if it accepts no connection within ``patience``.
    ///
    /// - Throws: `CancellationError` once the task is cancelled.
    private func connected() async throws -> Int32? {
        if let excess = LocalAddress.excess(of: socketPath) { throw CommandFailure.usage("\(excess): \(socketPath)") }
        let start = ContinuousClock.now
        while true {
            do {
                let descriptor = try LocalSocket.connect(to: socketPath)
                guard fcntl(descriptor, F_SETFL, 0) == 0 else {
                    close(descriptor)
                    return nil
                }
                return descriptor
            } catch {
                // A blocking call would wait for a place in the queue of the gateway, and nothing could end it.
                guard error.code == EAGAIN, ContinuousClock.now - start < patience else { return nil }
            }
            try await Task.sleep(for: Self.step)
        }
    }
}
