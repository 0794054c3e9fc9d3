import CUnixIO
package import Glibc

/// The address of a Unix-domain socket (unix(7)).
package struct LocalAddress: Sendable {
    /// The longest path that the kernel accepts, in bytes: `sockaddr_un` without the final zero.
    package static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

    private var storage = sockaddr_un()
    private var length = socklen_t(MemoryLayout<sockaddr_un>.size)

    /// Creates the address of a path.
    ///
    /// - Throws: ``SystemError``: ENAMETOOLONG for a path that is too long, ENOENT for one that is empty or has a zero
    ///   byte.
    package init(path: String) throws(SystemError) {
        let bytes = path.systemBytes
        guard bytes.count <= Self.longestPath else { throw SystemError(code: ENAMETOOLONG) }
        guard !bytes.isEmpty, !bytes.contains(0) else { throw SystemError(code: ENOENT) }
        self.init(name: bytes)
    }

    /// Creates the address of an abstract socket, which has a name and no file.
    package init(abstract name: String) throws(SystemError) {
        let bytes = name.systemBytes
        guard bytes.count <= Self.longestPath else { throw SystemError(code: ENAMETOOLONG) }
        self.init(name: [0] + bytes)
        length = socklen_t(MemoryLayout<sockaddr_un>.size - Self.longestPath - 1 + 1 + bytes.count)
    }

    /// Returns the address of the socket itself, or of the other end of its connection; nil for a socket of another
    /// family.
    package init?(of descriptor: Int32, isPeer: Bool = false) {
        let result = withUnsafeMutableBytes(of: &storage) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { address in
                isPeer
                    ? getpeername(descriptor, address.baseAddress, &length)
                    : getsockname(descriptor, address.baseAddress, &length)
            }
        }
        guard result == 0, storage.sun_family == sa_family_t(AF_UNIX) else { return nil }
    }

    private init(name: [UInt8]) {
        storage.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &storage.sun_path) { $0.copyBytes(from: name) }
    }

    /// The path, `@` and the name of an abstract socket, or nil for a socket without an address.
    package var path: String? {
        let count = Int(length) - (MemoryLayout<sockaddr_un>.size - Self.longestPath - 1)
        let name = withUnsafeBytes(of: storage.sun_path) { Array($0.prefix(max(count, 0))) }
        switch name.first {
        case nil: return nil
        case 0: return "@" + String(systemBytes: name.dropFirst())
        default: return String(systemBytes: name.prefix { $0 != 0 })
        }
    }

    /// Calls `body` with the address and its length.
    package func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    /// Returns the reason why a path is too long for a socket, or nil if it is not.
    package static func excess(of path: String) -> String? {
        let count = path.systemBytes.count
        return count > longestPath ? "the socket's path has \(count) bytes, and the kernel takes \(longestPath)" : nil
    }
}

/// Connections to Unix-domain sockets.
package enum LocalSocket {
    /// Connects to a stream socket; the descriptor does not block and has the close-on-exec flag.
    ///
    /// The call never waits. It throws EAGAIN if the queue of the listener is full.
    package static func connect(to path: String) throws(SystemError) -> Int32 {
        let address = try LocalAddress(path: path)
        let descriptor = try make()
        guard address.withPointer({ Glibc.connect(descriptor, $0, $1) }) == 0 else {
            let error = SystemError.last
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Makes a stream socket that does not block and has the close-on-exec flag.
    package static func make() throws(SystemError) -> Int32 {
        let descriptor = unix_socket()
        guard descriptor >= 0 else { throw .last }
        return descriptor
    }

    package static func bind(_ descriptor: Int32, to path: String) throws(SystemError) {
        let address = try LocalAddress(path: path)
        guard address.withPointer({ Glibc.bind(descriptor, $0, $1) }) == 0 else { throw .last }
    }
}
