import Glibc

/// A listening stream socket that systemd has created and passed to this process.
///
/// systemd owns the socket's file. The socket outlives the process, and clients in its backlog wait for the next
/// process.
public struct InheritedSocket: Hashable, Sendable {
    /// The open descriptor.
    public let descriptor: Int32
    /// The name from the socket's unit (`FileDescriptorName=`), by default the name of the unit.
    public let name: String

    /// Checks a descriptor and sets its close-on-exec flag.
    init(taking descriptor: Int32, name: String, allowsNetwork: Bool = false) throws(InheritedSocketError) {
        self.descriptor = descriptor
        self.name = name
        func refusal(_ reason: String) -> InheritedSocketError {
            InheritedSocketError("the service manager passed descriptor \(descriptor) (\(name)), which \(reason)")
        }
        guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw refusal("is not open") }
        guard let domain = Self.option(SO_DOMAIN, of: descriptor) else { throw refusal("is no socket") }
        let isLocal = domain == AF_UNIX
        guard isLocal || allowsNetwork else { throw refusal("is no Unix-domain socket") }
        guard isLocal || domain == AF_INET || domain == AF_INET6 else { throw refusal("is no socket of TCP") }
        guard Self.option(SO_TYPE, of: descriptor) == Int32(SOCK_STREAM.rawValue) else {
            throw refusal("is no stream socket")
        }
        guard Self.option(SO_ACCEPTCONN, of: descriptor) == 1 else {
            throw refusal("does not listen; a unit with Accept=yes cannot be used")
        }
    }

    private static func option(_ option: Int32, of descriptor: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, option, &value, &length) == 0 ? value : nil
    }
}

/// The error for a passed descriptor that is not a listening socket of the expected kind.
public struct InheritedSocketError: Error, Sendable, CustomStringConvertible {
    /// A sentence with the descriptor and the failed check.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}
