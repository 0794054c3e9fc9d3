import Glibc
import UnixIO

/// A sender of state notifications to the service manager (sd_notify(3)).
///
/// Isolation: the methods can be called from any thread. They never block. A message that the manager does not accept
/// is lost. Without a service manager a call costs nothing and returns true.
public final class ServiceNotifier: Sendable {
    /// The maximum length of a status in bytes.
    ///
    /// The manager drops messages of more than 4096 bytes.
    static let longestStatus = 1024

    /// The manager's address, or nil without a service manager.
    ///
    /// Each message carries it, so that a restarted manager gets the next one.
    private let address: LocalAddress?
    /// A socket for sending, which is open from the start, because later the process may have no free descriptor.
    private let descriptor: Int32

    /// - Parameter text: The path of a datagram socket, `@` and the name of an abstract one, or nil.
    init(address text: String?) {
        let address =
            switch text?.first {
            case "/": try? LocalAddress(path: text ?? "")
            case "@": try? LocalAddress(abstract: String(text?.dropFirst() ?? ""))
            default: nil as LocalAddress?
            }
        let type = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        descriptor = address == nil ? -1 : socket(AF_UNIX, Int32(type), 0)
        self.address = descriptor < 0 ? nil : address
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Reports that the service is ready, after its start and after ``reloading()``.
    ///
    /// - Parameter status: A status to send in the same message.
    /// - Returns: false if there is a manager and it did not accept the message.
    @discardableResult
    public func ready(status: String? = nil) -> Bool {
        send(["READY=1"] + (status.map { [Self.line(ofStatus: $0)] } ?? []))
    }

    /// Reports the service's status in one line, for people (`systemctl status`).
    ///
    /// - Parameter text: The status. It is cut after 1024 bytes.
    /// - Returns: false if there is a manager and it did not accept the message.
    @discardableResult
    public func status(_ text: String) -> Bool {
        send([Self.line(ofStatus: text)])
    }

    /// Reports that the service reloads its configuration.
    ///
    /// The service must call ``ready(status:)`` afterwards.
    ///
    /// - Returns: false if there is a manager and it did not accept the message.
    @discardableResult
    public func reloading() -> Bool {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return send(["RELOADING=1", "MONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)"])
    }

    /// Reports that the service has begun to stop.
    ///
    /// - Returns: false if there is a manager and it did not accept the message.
    @discardableResult
    public func stopping() -> Bool {
        send(["STOPPING=1"])
    }

    /// Sends a keep-alive message for the manager's watchdog.
    ///
    /// - Returns: false if there is a manager and it did not accept the message.
    @discardableResult
    public func watchdog() -> Bool {
        send(["WATCHDOG=1"])
    }

    private func send(_ lines: [String]) -> Bool {
        guard let address else { return true }
        let bytes = Array(lines.joined(separator: "\n").utf8)
        let count = address.withPointer { sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, $1) }
        return count == bytes.count
    }

    private static func line(ofStatus text: String) -> String {
        let bytes = text.shown.utf8.prefix(longestStatus).map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }
        return "STATUS=" + String(decoding: bytes, as: UTF8.self)
    }
}
