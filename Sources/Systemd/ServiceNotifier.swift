#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Tells the service manager how this service is (sd_notify(3)).
///
/// Isolation: used from anywhere. It never waits, and a message that the manager does not take is lost; so it takes
/// nothing from a service that runs without one.
public final class ServiceNotifier: Sendable {
    /// More than this of a status is not sent; the manager drops messages of more than 4096 bytes.
    static let longestStatus = 1024

    /// Nil where nobody wants to know.
    private let target: Target?

    /// - Parameter address: the path of a datagram socket, or `@` and the name of an abstract one; nil for nobody.
    init(address: String?) {
        target = address.flatMap { Target($0) }
    }

    deinit {
        if let target { close(target.descriptor) }
    }

    /// Says that the service answers, at its start and after ``reloading()``.
    ///
    /// - Returns: false when there is a manager and it did not take the message.
    @discardableResult
    public func ready(status: String? = nil) -> Bool {
        send(["READY=1"] + (status.map { [Self.line(ofStatus: $0)] } ?? []))
    }

    /// Says in one line what the service is at, for people (`systemctl status`).
    ///
    /// - Returns: false when there is a manager and it did not take the message.
    @discardableResult
    public func status(_ text: String) -> Bool {
        send([Self.line(ofStatus: text)])
    }

    /// Says that the service reads its configuration again; ``ready(status:)`` is owed afterwards.
    ///
    /// - Returns: false when there is a manager and it did not take the message.
    @discardableResult
    public func reloading() -> Bool {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return send(["RELOADING=1", "MONOTONIC_USEC=\(time.tv_sec * 1_000_000 + time.tv_nsec / 1000)"])
    }

    /// Says that the service has begun to end.
    ///
    /// - Returns: false when there is a manager and it did not take the message.
    @discardableResult
    public func stopping() -> Bool {
        send(["STOPPING=1"])
    }

    /// Gives a sign of life.
    ///
    /// - Returns: false when there is a manager and it did not take the message.
    @discardableResult
    public func watchdog() -> Bool {
        send(["WATCHDOG=1"])
    }

    private func send(_ lines: [String]) -> Bool {
        target?.send(Array(lines.joined(separator: "\n").utf8)) ?? true
    }

    private static func line(ofStatus text: String) -> String {
        let bytes = text.utf8.prefix(longestStatus).map { $0 < 0x20 ? UInt8(ascii: " ") : $0 }
        return "STATUS=" + String(decoding: bytes, as: UTF8.self)
    }
}

/// The manager's address and a socket to send from, which is open from the start: later there may be no descriptor left.
private struct Target: Sendable {
    let descriptor: Int32
    private let address: sockaddr_un
    private let length: socklen_t

    /// Nil for what is no address, and where the system gives no socket.
    init?(_ text: String) {
        var address = sockaddr_un()
        var name = Array(text.utf8)
        guard let first = name.first, name.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        switch first {
        case UInt8(ascii: "/"): name.append(0)
        case UInt8(ascii: "@"): name[0] = 0
        default: return nil
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
        self.address = address
        length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
        let type = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        descriptor = socket(AF_UNIX, Int32(type), 0)
        if descriptor < 0 { return nil }
    }

    /// The address goes with each message, so that a manager that was restarted gets the next one.
    func send(_ bytes: [UInt8]) -> Bool {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL), $0, length) == bytes.count
            }
        }
    }
}
