#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// An output that sends records to journald with their fields.
///
/// If that fails, it writes a line with the priority instead.
final class JournalOutput: LogOutput {
    private let path: String
    private let descriptor: Int32
    private let fallback: any LogOutput

    init(path: String = "/run/systemd/journal/socket", fallback: any LogOutput = LineOutput { $0.priorityLine }) {
        self.path = path
        self.fallback = fallback
        #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_DGRAM | SOCK_CLOEXEC
        #endif
        descriptor = socket(AF_UNIX, kind, 0)
    }

    deinit {
        close(descriptor)
    }

    func write(_ record: LogRecord) {
        if !send(JournalEntry(record).bytes) { fallback.write(record) }
    }

    func writeAtOnce(_ record: LogRecord) -> Bool {
        send(JournalEntry(record).bytes, Int32(MSG_DONTWAIT))
    }

    /// Sends a datagram.
    ///
    /// The path is resolved for each one, because journald may have restarted.
    private func send(_ bytes: [UInt8], _ flags: Int32 = 0) -> Bool {
        let flags = flags | Int32(MSG_NOSIGNAL)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let count = withUnsafeBytes(of: &address) { address in
            address.withMemoryRebound(to: sockaddr.self) {
                sendto(descriptor, bytes, bytes.count, flags, $0.baseAddress, socklen_t(address.count))
            }
        }
        return count == bytes.count
    }
}
