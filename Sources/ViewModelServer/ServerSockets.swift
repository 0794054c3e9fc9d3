import UnixIO

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The sockets on which a server accepts connections.
///
/// The server's own socket is locked, gets its mode, and is removed at the end. Inherited sockets are only accepted
/// from. Their files and backlogs outlive the server, so that clients that connect after its end wait for the next
/// server.
struct ServerSockets: Sendable {
    /// The listening descriptors, all of them non-blocking.
    let descriptors: [Int32]
    /// The paths under which clients find the sockets.
    let paths: [String]
    private let own: ListeningSocket?

    /// Creates or adopts the sockets.
    ///
    /// Clients cannot connect to the server's own socket before ``listen()``.
    ///
    /// - Throws: ``SocketError``, which names the socket and the reason.
    init(_ source: SocketSource) throws(SocketError) {
        switch source {
        case .own(let place):
            let socket = try ListeningSocket(place)
            own = socket
            descriptors = [socket.descriptor]
            paths = [socket.path]
        case .inherited(let inherited):
            own = nil
            descriptors = inherited
            paths = inherited.map(Self.path)
            for descriptor in inherited { try Self.unblock(descriptor) }
        }
    }

    /// Lets clients connect.
    ///
    /// - Throws: ``SocketError`` when `listen(2)` fails.
    func listen() throws(SocketError) {
        try own?.listen()
    }

    /// Closes the descriptors and removes the server's own socket.
    ///
    /// Called after the accept thread has ended.
    func close() {
        for descriptor in descriptors { closeDescriptor(descriptor) }
        own?.remove()
    }

    /// Makes a descriptor non-blocking.
    ///
    /// Otherwise a client that leaves between `poll` and `accept` would block the accept thread.
    private static func unblock(_ descriptor: Int32) throws(SocketError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw SocketError("the inherited socket \(descriptor) cannot be used: \(ListeningSocket.lastError)")
        }
    }

    private static func path(of descriptor: Int32) -> String {
        LocalAddress(of: descriptor)?.path ?? "descriptor \(descriptor)"
    }
}

private func closeDescriptor(_ descriptor: Int32) {
    #if canImport(Glibc)
        Glibc.close(descriptor)
    #else
        Musl.close(descriptor)
    #endif
}

/// The sockets on which a server accepts connections.
package enum SocketSource: Sendable {
    /// A socket that the server creates, locks and removes.
    case own(SocketOptions)
    /// Descriptors of listening sockets that another process created.
    ///
    /// The server closes them when it ends.
    case inherited([Int32])
}

/// The path, the permissions and the group of a socket that the server creates.
package struct SocketOptions: Sendable {
    /// The path, at most 107 bytes.
    package var path: String
    /// The permissions.
    ///
    /// The socket has them before clients can connect.
    package var mode: UInt32
    /// The id of the socket's group.
    ///
    /// Nil keeps the group of the process.
    package var group: UInt32?

    package init(path: String, mode: UInt32 = 0o600, group: UInt32? = nil) {
        self.path = path
        self.mode = mode
        self.group = group
    }
}

/// The reason why a socket could not be created or adopted.
public struct SocketError: Error, Sendable, CustomStringConvertible {
    /// The failure, with the path or descriptor and the remedy if there is one.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The limit of open files and sockets of the process (`RLIMIT_NOFILE`).
package enum DescriptorLimit {
    /// Raises the soft limit to the hard limit, because each connection needs a descriptor.
    ///
    /// - Returns: The limit.
    @discardableResult
    package static func raise() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
