#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Who connected, as the kernel tells (SO_PEERCRED, unix(7)).
struct PeerCredentials {
    let pid: Int32
    let uid: UInt32
    let gid: UInt32

    /// Asks the kernel; nil where the socket is no connected Unix-domain socket.
    init?(of descriptor: Int32) {
        // `struct ucred`: pid, uid, gid, each of 32 bits.
        var fields: (Int32, UInt32, UInt32) = (0, 0, 0)
        var length = socklen_t(MemoryLayout.size(ofValue: fields))
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &fields, &length) == 0 else { return nil }
        (pid, uid, gid) = fields
    }
}
