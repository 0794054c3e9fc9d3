import Glibc
import UnixIO
import ViewModelHost

/// The directory for everything that a daemon keeps on disk, locked by one daemon at a time.
public final class StateDirectory: Sendable {
    /// The directory's path.
    public let path: String
    private let lock: FileLock

    /// Creates the directory with mode 0700, or takes an existing one, and locks it.
    ///
    /// The permissions of other users are removed from a directory that is empty or has a database of viewmodeld.
    ///
    /// - Throws: ``SocketError``, which names the directory: it belongs to another user, other users may use it for
    ///   other files, or another daemon has locked it. A refused directory stays as it is.
    public init(_ path: String) throws(SocketError) {
        self.path = path
        do {
            try PrivateDirectory.make(path)
            try PrivateDirectory.claim(path)
        } catch {
            throw SocketError(
                "the state directory \(path) cannot be used: \(error); choose another one with --state-directory"
            )
        }
        do {
            lock = try FileLock(path: path + "/lock")
        } catch {
            let remedy = error.isHeld ? "; stop that process first" : ""
            throw SocketError("the state directory \(path) cannot be used: \(error)\(remedy)")
        }
    }

    /// Releases the lock of the directory.
    ///
    /// Call it when nothing writes into the directory any more. The end of the process also releases the lock.
    public func release() {
        lock.release()
    }
}

extension PrivateDirectory {
    /// Sets the mode of a state directory to 0700.
    ///
    /// Refuses a directory that is not the daemon's own, because a wrong path such as `/tmp` must not be closed to its
    /// other users.
    static func claim(_ path: String) throws(Failure) {
        guard let status = stat(of: path) else {
            throw Failure(description: "\(path) cannot be read: \(SystemError.last)")
        }
        guard status.st_uid == geteuid() else {
            throw Failure(description: "\(path) belongs to another user, uid \(status.st_uid)")
        }
        guard status.st_mode & 0o077 != 0 else { return }
        guard status.st_mode & S_ISVTX == 0, isOwn(path) else {
            let mode = String(status.st_mode & 0o7777, radix: 8)
            throw Failure(description: "\(path) has other files and the mode \(mode)")
        }
        guard chmod(path.cPath, 0o700) == 0 else {
            throw Failure(description: "the mode of \(path) cannot be set: \(SystemError.last)")
        }
    }

    /// Returns whether a directory is empty or has a database of viewmodeld.
    private static func isOwn(_ path: String) -> Bool {
        guard let names = Paths.entries(of: path) else { return false }
        return names.contains("viewmodeld.sqlite") || names.allSatisfy([".", "..", "lock"].contains)
    }
}

extension StorageHealth {
    /// Measures a state directory.
    init(of directory: String) {
        var bytes = 0
        for name in Paths.entries(of: directory) ?? [] {
            let status = stat(of: "\(directory)/\(name)", followsLinks: false)
            if let status, status.kind == S_IFREG { bytes += Int(status.st_size) }
        }
        self.init(path: directory, bytes: bytes, healthy: access(directory.cPath, W_OK) == 0)
    }
}
