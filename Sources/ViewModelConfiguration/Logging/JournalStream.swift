#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The receiver that a service manager connected to standard error and announced in `JOURNAL_STREAM` (systemd.exec(5)).
enum JournalStream {
    /// The journal itself.
    case journald
    /// A receiver that parses the priorities of sd-daemon(3).
    case other

    /// The socket path at journald's end of a service's stream.
    private static let journaldPath = "/run/systemd/journal/stdout"

    /// Compares the variable with a descriptor.
    ///
    /// Nil if they identify different files or the variable is not set.
    ///
    /// The variable alone proves nothing, because children inherit it even if their standard error is another file.
    init?(variable: String?, descriptor: Int32 = STDERR_FILENO) {
        var status = stat()
        guard let variable, fstat(descriptor, &status) == 0, variable == "\(status.st_dev):\(status.st_ino)" else {
            return nil
        }
        self = Self.peerPath(of: descriptor) == Self.journaldPath ? .journald : .other
    }

    private static func peerPath(of descriptor: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout.size(ofValue: address))
        let result = withUnsafeMutableBytes(of: &address) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { getpeername(descriptor, $0.baseAddress, &length) }
        }
        guard result == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
        return withUnsafeBytes(of: address.sun_path) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
