import Glibc
import Synchronization
import UnixIO
import ViewModelHost

/// A listening socket: a Unix-domain socket at a path that only this process uses, or one that the process adopts.
///
/// The path of its own socket exists from ``listen()`` on, so a client that sees the socket can connect. A stale socket is
/// replaced if no process listens on it. Any other file at the path is an error. A lock file beside the socket keeps two
/// daemons apart that start at once. A missing directory is created with mode 0700.
///
/// The file and the backlog of an adopted socket outlive the process, so that clients that connect after its end wait for
/// the next one.
package final class ListeningSocket: Sendable {
    /// `O_PATH`, which needs no permission to read the directory.
    ///
    /// The C library hides it from Swift.
    private static let pathOnly: Int32 = 0o10000000

    /// The options and the lock of the process's own socket; nil for an adopted one.
    let own: (options: SocketOptions, lock: FileLock)?
    package let descriptor: Int32
    /// The path under which clients find the socket, or the number of a descriptor without a path.
    package let path: String
    private let identity: Mutex<FileIdentity?>

    /// Adopts the descriptor of a socket that listens, and leaves its file alone.
    package init(adopting descriptor: Int32) {
        self.descriptor = descriptor
        own = nil
        path = LocalAddress(of: descriptor)?.path ?? "descriptor \(descriptor)"
        identity = Mutex(path.hasPrefix("/") ? Self.identity(of: path) : nil)
    }

    /// Locks the path and creates the socket.
    ///
    /// Clients cannot connect before ``listen()``.
    ///
    /// - Throws: ``SocketError``, which names the path and the reason.
    package init(_ options: SocketOptions) throws(SocketError) {
        let path = options.path
        if let excess = LocalAddress.excess(of: path) {
            throw SocketError("\(excess): \(path); choose a shorter one with \(options.option)")
        }
        try Self.makeDirectory(of: options)
        let lock: FileLock
        do {
            lock = try FileLock(path: path + ".lock")
        } catch {
            throw SocketError(
                error.isHeld
                    ? "the socket \(path) is held by another daemon: \(error)"
                    : "the socket \(path) cannot be made: \(error); choose another place with \(options.option)"
            )
        }
        do {
            try Self.removeStale(options)
            descriptor = try LocalSocket.make()
        } catch {
            // The next attempt of this process needs the lock.
            lock.release()
            throw error as? SocketError ?? SocketError("no socket could be made: \(error)")
        }
        own = (options, lock)
        self.path = path
        identity = Mutex(nil)
    }

    /// Lets clients connect to an own socket, which appears at its path, with its mode and group.
    ///
    /// It listens under another name before. `bind(2)` would create a file at the path that refuses clients.
    ///
    /// - Throws: ``SocketError`` when the socket cannot be made, or when another file is at the path now.
    package func listen() throws(SocketError) {
        guard let options = own?.options else { return }
        let (parent, name) = Paths.split(path)
        let directory = open(parent.cPath, Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { throw failure() }
        defer { close(directory) }
        // The path by the descriptor is short, so that a socket of 107 bytes has a longer name beside it.
        let hidden = ".\(String(UInt64.random(in: 0 ... .max), radix: 36)).sock"
        let hiddenPath = "/proc/self/fd/\(directory)/\(hidden)"
        // On Linux, `bind` gives the file the mode of the socket. The umask would also change files of other threads.
        guard fchmod(descriptor, 0o600) == 0, (try? LocalSocket.bind(descriptor, to: hiddenPath)) != nil else {
            throw failure()
        }
        defer { unlinkat(directory, hidden, 0) }
        // The group is set before the mode, so that the former group never has the permissions of the new one.
        if let group = options.group, chown(hiddenPath.cPath, uid_t.max, group) != 0 { throw failure() }
        guard chmod(hiddenPath.cPath, options.mode) == 0, Glibc.listen(descriptor, Int32(SOMAXCONN)) == 0,
            let created = Self.identity(of: hiddenPath)
        else { throw failure() }
        try Self.removeStale(options)
        // A second name is made for the file. `rename(2)` would replace a socket that appeared just now.
        guard linkat(directory, hidden, directory, name.cPath, 0) == 0 else { throw failure() }
        identity.withLock { $0 = created }
    }

    /// Whether the socket is at its path.
    ///
    /// Another process may have removed or replaced it.
    package var isAtPath: Bool {
        let found = Self.identity(of: path)
        return found != nil && found == identity.withLock { $0 }
    }

    /// Removes the file of an own socket if it is still the one that ``listen()`` created, and releases the lock.
    package func remove() {
        guard let own else { return }
        if isAtPath { unlink(path.cPath) }
        own.lock.release()
    }

    /// Returns the identity of a file, which may be a link.
    private static func identity(of path: String) -> FileIdentity? { stat(of: path, followsLinks: false)?.identity }

    private func failure() -> SocketError {
        SocketError("the socket \(path) could not be made: \(SystemError.last)")
    }

    private static func makeDirectory(of options: SocketOptions) throws(SocketError) {
        do {
            try PrivateDirectory.make(Paths.split(options.path).directory)
        } catch {
            throw SocketError(
                "the socket's directory cannot be used: \(error); choose another path with \(options.option)"
            )
        }
    }

    private static func removeStale(_ options: SocketOptions) throws(SocketError) {
        let path = options.path
        guard let status = stat(of: path, followsLinks: false) else { return }
        guard status.kind == S_IFSOCK else {
            throw SocketError(
                "a file that is not a socket is at \(path); remove it or choose another path with \(options.option)"
            )
        }
        let probe: Int32
        do {
            probe = try LocalSocket.connect(to: path)
        } catch {
            // The queue of the listening process is full.
            guard error.code != EAGAIN else { throw SocketError("another process listens at \(path) already") }
            guard error.code == ECONNREFUSED else { throw SocketError("\(path) cannot be checked: \(error)") }
            unlink(path.cPath)
            return
        }
        defer { close(probe) }
        let holder = PeerCredentials(of: probe).map { "process \($0.pid)" } ?? "another process"
        throw SocketError("\(holder) listens at \(path) already")
    }
}
