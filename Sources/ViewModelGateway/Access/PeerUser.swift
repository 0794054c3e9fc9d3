import Glibc
import NIOCore

/// The users of the processes at the other ends of loopback connections, as the kernel reports them (sock_diag(7)).
enum PeerUser {
    /// Returns whether a process of another user holds the other end of a loopback connection.
    ///
    /// Root and the gateway's own user are never another one. An end that no process holds any more counts as another
    /// user's, because the kernel no longer reports its user. Where the kernel reports no users at all, no user is
    /// another one.
    static func isForeign(_ peer: SocketAddress, to own: SocketAddress) -> Bool {
        guard let socket = find(peer, own) else {
            // A kernel that does not find the gateway's end either serves no such requests.
            return find(own, peer) != nil
        }
        return socket.inode == 0 || socket.uid != geteuid() && socket.uid != 0
    }

    /// Returns the user and the inode of a connection's end; the inode is 0 if no process holds it.
    private static func find(_ end: SocketAddress, _ other: SocketAddress) -> (uid: UInt32, inode: UInt32)? {
        guard let reply = reply(to: request(end, other)), reply.count >= Layout.replyLength,
            reply.loadUnaligned(at: 4, as: UInt16.self) == Layout.byFamily
        else { return nil }
        let uid = reply.loadUnaligned(at: Layout.uid, as: UInt32.self)
        return (uid, reply.loadUnaligned(at: Layout.inode, as: UInt32.self))
    }

    /// The numbers of linux/netlink.h, linux/sock_diag.h and linux/inet_diag.h.
    private enum Layout {
        /// NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY and NLM_F_REQUEST.
        static let family: Int32 = 4
        static let byFamily: UInt16 = 20
        static let requestFlag: UInt16 = 1
        static let requestLength = 72
        /// The lengths of `nlmsghdr` and `inet_diag_msg`.
        static let replyLength = 16 + 72
        static let uid = 80
        static let inode = 84
    }

    /// Returns the request for the socket of a connection with these addresses of its own and of the other end.
    private static func request(_ end: SocketAddress, _ other: SocketAddress) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ value: some FixedWidthInteger) { withUnsafeBytes(of: value) { bytes += $0 } }
        add(UInt32(Layout.requestLength))
        add(Layout.byFamily)
        add(Layout.requestFlag)
        add(UInt64(0))
        let isIPv6 = end.protocol == .inet6
        bytes += [UInt8(isIPv6 ? AF_INET6 : AF_INET), UInt8(IPPROTO_TCP), 0, 0]
        // All states.
        add(UInt32.max)
        for address in [end, other] { add(UInt16(address.port ?? 0).bigEndian) }
        for address in [end, other] { bytes += address.diagnosticBytes }
        // Any interface, and no cookie (INET_DIAG_NOCOOKIE).
        add(UInt32(0))
        add(UInt64.max)
        return bytes
    }

    /// Returns the kernel's reply, or nil if it does not serve such requests.
    private static func reply(to request: [UInt8]) -> [UInt8]? {
        let descriptor = socket(AF_NETLINK, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), Layout.family)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard send(descriptor, request, request.count, 0) == request.count else { return nil }
        var reply = [UInt8](repeating: 0, count: 1024)
        // The kernel has answered before send(2) returns.
        let count = recv(descriptor, &reply, reply.count, Int32(MSG_DONTWAIT))
        guard count > 0 else { return nil }
        return Array(reply[..<count])
    }
}

extension SocketAddress {
    /// The 16 bytes of the address in `inet_diag_sockid`.
    fileprivate var diagnosticBytes: [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        inet_pton(self.protocol == .inet6 ? AF_INET6 : AF_INET, ipAddress ?? "", &bytes)
        return bytes
    }

    /// Whether only processes of this machine can connect.
    var isLoopback: Bool {
        guard let ipAddress else { return false }
        return ipAddress == "::1" || ipAddress.hasPrefix("127.")
    }
}

extension [UInt8] {
    fileprivate func loadUnaligned<T: BitwiseCopyable>(at offset: Int, as type: T.Type) -> T {
        withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
    }
}
