import Glibc
import UnixIO

/// Files that only the daemon's user can read.
package enum PrivateFile {
    package static func hasContent(_ path: String) -> Bool {
        stat(of: path).map { $0.st_size > 0 } ?? false
    }

    /// Makes a file private if it exists, checks that it and its directory are writable, and returns whether it exists.
    ///
    /// The file is not opened, because a close would drop the POSIX locks that this process holds on it.
    package static func check(_ path: String, in directory: String) throws(StoreError) -> Bool {
        guard access(directory.cPath, W_OK | X_OK) == 0 else { throw .notWritable(directory, errno: errno) }
        // A dangling link counts as an existing file. SQLite must not create its target.
        guard stat(of: path, followsLinks: false) != nil else {
            guard errno == ENOENT else { throw .notWritable(path, errno: errno) }
            return false
        }
        guard access(path.cPath, R_OK | W_OK) == 0, chmod(path.cPath, 0o600) == 0 else {
            throw .notWritable(path, errno: errno)
        }
        return true
    }

    /// Creates a file with mode 0600 and syncs its content.
    ///
    /// The directory entry is not durable yet.
    ///
    /// - Returns: whether the file is complete. If not, `errno` has the reason.
    package static func create(_ path: String, with bytes: [UInt8]) -> Bool {
        let descriptor = open(path.cPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return (try? Descriptor(number: descriptor).write(bytes)) != nil && fsync(descriptor) == 0
    }

    /// Renames a written file to its final path, and makes the new name durable.
    package static func move(_ path: String, to target: String) throws(StoreError) {
        guard rename(path.cPath, target.cPath) == 0 else { throw .notWritable(target, errno: errno) }
        try makeDurable(target)
    }

    /// Makes the new name of a file durable.
    ///
    /// - Throws: `StoreError`, which says that the file is in place.
    package static func makeDurable(_ path: String) throws(StoreError) {
        guard !sync(Paths.split(path).directory) else { return }
        throw StoreError(
            .failed,
            path,
            """
            is in place and complete, but a power failure may undo this, because its directory cannot be synced \
            (\(SystemError.last)). Look at the disk
            """
        )
    }

    /// Syncs a directory, so that its names outlast a power failure.
    package static func synchronize(directory: String) throws(StoreError) {
        guard sync(directory) else { throw .notWritable(directory, errno: errno) }
    }

    /// Syncs a directory.
    ///
    /// - Returns: whether that succeeded. If not, `errno` has the reason.
    private static func sync(_ directory: String) -> Bool {
        let descriptor = open(directory.cPath, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return fsync(descriptor) == 0
    }
}
