import UnixIO
import ViewModelHost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A listening Unix-domain socket at a path that only this process uses.
///
/// A stale socket is replaced if no process listens on it. Any other file at the path is an error. A lock file beside
/// the socket keeps two daemons apart that start at once. Other users cannot connect before the socket has its mode:
/// `bind` creates it with mode 0600. A missing directory is created with mode 0700.
package final class ListeningSocket: Sendable {
    package let path: String
    package let descriptor: Int32
    private let lock: FileLock
    private let device: dev_t
    private let inode: ino_t

    /// Creates and binds the socket.
    ///
    /// Clients cannot connect before ``listen()``.
    ///
    /// - Throws: ``SocketError``, which names the path and the reason.
    package init(_ place: SocketOptions) throws(SocketError) {
        let path = place.path
        if let excess = LocalAddress.excess(of: path) {
            throw SocketError("\(excess): \(path); choose a shorter one with --socket")
        }
        try Self.makeDirectory(of: path)
        do {
            lock = try FileLock(path: path + ".lock")
        } catch {
            let reason = error.isHeld ? "is held by another daemon" : "cannot be made"
            throw SocketError("the socket \(path) \(reason): \(error)")
        }
        try Self.removeStale(path)
        descriptor = try Self.makeSocket()
        self.path = path
        // On Linux, `bind` gives the file the mode of the socket. The umask would also change files of other threads.
        let isBound = fchmod(descriptor, 0o600) == 0 && (try? LocalSocket.bind(descriptor, to: path)) != nil
        // The group is set before the mode, so that the former group never has the permissions of the new one.
        guard isBound, Self.changeGroup(path, to: place.group), chmod(path, place.mode) == 0 else {
            let reason = Self.lastError
            close(descriptor)
            if isBound { unlink(path) }
            throw SocketError("the socket \(path) could not be made: \(reason)")
        }
        var status = stat()
        lstat(path, &status)
        device = status.st_dev
        inode = status.st_ino
    }

    /// Lets clients connect.
    ///
    /// The kernel refuses connections until then.
    ///
    /// - Throws: ``SocketError`` when `listen(2)` fails.
    package func listen() throws(SocketError) {
        #if canImport(Glibc)
            let result = Glibc.listen(descriptor, Int32(SOMAXCONN))
        #else
            let result = Musl.listen(descriptor, Int32(SOMAXCONN))
        #endif
        guard result == 0 else { throw SocketError("\(path) cannot be listened on: \(Self.lastError)") }
    }

    /// Removes the socket's file if it is still the one that `init` created, and releases the lock.
    package func remove() {
        var status = stat()
        if lstat(path, &status) == 0, status.st_dev == device, status.st_ino == inode { unlink(path) }
        lock.release()
    }

    private static func changeGroup(_ path: String, to group: gid_t?) -> Bool {
        guard let group else { return true }
        return chown(path, uid_t.max, group) == 0
    }

    private static func makeDirectory(of path: String) throws(SocketError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        do {
            try PrivateDirectory.make(String(path[..<slash]))
        } catch {
            throw SocketError("the socket's directory cannot be used: \(error); choose another path with --socket")
        }
    }

    private static func removeStale(_ path: String) throws(SocketError) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SocketError(
                "a file that is not a socket is at \(path); remove it or choose another path with --socket"
            )
        }
        let probe: Int32
        do {
            probe = try LocalSocket.connect(to: path)
        } catch {
            guard error.code != EAGAIN else { throw SocketError("another process listens at \(path) already") }
            guard error.code == ECONNREFUSED else { throw SocketError("\(path) cannot be checked: \(error)") }
            unlink(path)
            return
        }
        defer { close(probe) }
        let holder = PeerCredentials(of: probe).map { "process \($0.pid)" } ?? "another process"
        throw SocketError("\(holder) listens at \(path) already")
    }

    private static func makeSocket() throws(SocketError) -> Int32 {
        do {
            return try LocalSocket.make()
        } catch {
            throw SocketError("no socket could be made: \(error)")
        }
    }

    static var lastError: String { String(cString: strerror(errno)) }
}
