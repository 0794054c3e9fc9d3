import Glibc
import UnixIO
package import ViewModelStorage

/// A file that ``StateStore/backUp(_:to:replaces:)`` has written, opened for a restore.
///
/// The file is only read.
package final class BackupFile: Sendable {
    let path: String
    private let descriptor: Int32

    /// Opens a file.
    ///
    /// - Throws: `StoreError` for a file that cannot be read, that is no regular file, or that has a log of SQLite
    ///   beside it.
    package init(_ path: String) throws(StoreError) {
        descriptor = open(path.cPath, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw StoreError(
                .failed,
                path,
                "cannot be read (\(SystemError.last)). Name a file that the command backup has written"
            )
        }
        self.path = path
        guard stat(of: descriptor)?.kind == S_IFREG else {
            throw StoreError(.failed, path, "is no regular file. Name a file that the command backup has written")
        }
        guard !PrivateFile.hasContent(path + "-wal") else {
            throw StoreError(
                .failed,
                path,
                """
                is no backup but a database with a log beside it (\(path)-wal), which may be in use. Make a backup of it \
                with the command backup --state-directory DIRECTORY
                """
            )
        }
    }

    deinit { close(descriptor) }

    /// Copies the file to a new one with mode 0600, and syncs the copy.
    func copy(to target: String) throws(StoreError) {
        let output = open(target.cPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard output >= 0 else { throw .notWritable(target, errno: errno) }
        defer { close(output) }
        do {
            _ = try Descriptor(number: descriptor).copy(to: Descriptor(number: output))
        } catch let error as OutputError {
            throw .notWritable(target, errno: error.cause.code)
        } catch {
            throw StoreError(.failed, path, "cannot be read (\(error)). Look at the disk")
        }
        guard fsync(output) == 0 else { throw .notWritable(target, errno: errno) }
    }
}
