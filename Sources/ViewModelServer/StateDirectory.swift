import ViewModelHost

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The directory for everything that a daemon keeps on disk, locked by one daemon at a time.
public final class StateDirectory: Sendable {
    /// The directory's path.
    public let path: String
    private let lock: FileLock

    /// Creates the directory with mode 0700, or removes the permissions of others from an existing one, and locks it.
    ///
    /// - Throws: ``SocketError``, which names the directory, and the process of another daemon that has locked it.
    public init(_ path: String) throws(SocketError) {
        self.path = path
        do {
            try PrivateDirectory.make(path)
            PrivateDirectory.close(path)
            lock = try FileLock(path: path + "/lock")
        } catch {
            throw SocketError("the state directory \(path) cannot be used: \(error)")
        }
    }

    /// Releases the lock of the directory.
    func release() {
        lock.release()
    }
}

/// The creation of directories that only the daemon's user can access.
enum PrivateDirectory {
    /// The reason why a directory cannot be used.
    struct Failure: Error, CustomStringConvertible {
        /// Names the directory and the reason.
        let description: String
    }

    /// Sets a directory's mode to 0700 if it belongs to this user and its group or others have permissions.
    static func close(_ path: String) {
        var status = stat()
        if stat(path, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 != 0 { chmod(path, 0o700) }
    }

    /// Creates a directory and its missing parents with mode 0700.
    static func make(_ path: String) throws(Failure) {
        var status = stat()
        if stat(path, &status) == 0 {
            guard status.st_mode & S_IFMT == S_IFDIR else { throw Failure(description: "\(path) is no directory") }
            return
        }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try make(String(path[..<slash]))
        }
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw Failure(description: "\(path) cannot be made: \(String(cString: strerror(errno)))")
        }
    }
}

/// The measurement of the state directory for the daemon's health report.
enum StorageProbe {
    static func health(of directory: String) -> StorageHealth {
        var bytes = 0
        if let stream = opendir(directory) {
            defer { closedir(stream) }
            while let entry = readdir(stream) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                var status = stat()
                guard lstat("\(directory)/\(name)", &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
                bytes += Int(status.st_size)
            }
        }
        return StorageHealth(path: directory, bytes: bytes, healthy: access(directory, W_OK) == 0)
    }
}
