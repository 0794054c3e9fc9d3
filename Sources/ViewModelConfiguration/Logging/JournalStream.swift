#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a service manager connected the standard error to, where it said so with `JOURNAL_STREAM` (systemd.exec(5)).
enum JournalStream {
    /// The journal itself.
    case journald
    /// Something that understands the priorities of sd-daemon(3).
    case other

    /// Journald's end of the streams that it gives to services.
    private static let journaldPath = "/run/systemd/journal/stdout"

    /// Compares the variable with a descriptor; nil where it names another file, or none.
    ///
    /// A variable alone says nothing: children inherit it, whatever their standard error is.
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
