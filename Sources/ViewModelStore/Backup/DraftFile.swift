import Glibc
import UnixIO
import ViewModelStorage

/// A private file that gets its final name when it is complete.
///
/// The draft is a new file beside the final one, and its name is random. So it is no file of anybody else, and several
/// processes may write the same file: the first one to end gives it its name. The draft of a process that was killed
/// stays.
final class DraftFile: Sendable {
    let path: String
    /// The path of the draft.
    let draft: String
    private let descriptor: Int32

    /// Creates an empty draft with mode 0600.
    ///
    /// - Throws: `StoreError` if the file exists and is not a regular one to be replaced, or cannot be written.
    init(_ path: String, replaces: Bool) throws(StoreError) {
        self.path = path
        let token = String(UInt64.random(in: .min ... .max), radix: 16)
        draft = "\(Paths.split(path).directory)/viewmodeld-backup-\(token).draft"
        try Self.checkTarget(path, replaces: replaces)
        descriptor = open(draft.cPath, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw Self.unwritable(path) }
    }

    deinit { close(descriptor) }

    func write(_ bytes: [UInt8], at offset: Int) throws(StoreError) {
        guard pwrite(descriptor, bytes, bytes.count, off_t(offset)) == bytes.count else {
            throw Self.unwritable(path)
        }
    }

    /// Syncs the draft and gives it its final name.
    ///
    /// The name is not durable yet. Without `replaces` a file that another process has created meanwhile stays, and the
    /// call throws.
    ///
    /// - Returns: The size of the file in bytes.
    func publish(replaces: Bool) throws(StoreError) -> Int {
        guard fsync(descriptor) == 0, let status = stat(of: descriptor) else { throw Self.unwritable(path) }
        if replaces {
            try Self.checkTarget(path, replaces: true)
            guard rename(draft.cPath, path.cPath) == 0 else { throw Self.unwritable(path) }
        } else {
            guard link(draft.cPath, path.cPath) == 0 else {
                switch errno {
                case EEXIST: throw Self.existing(path)
                case EPERM, EOPNOTSUPP:
                    throw StoreError(.notWritable, path, "is on a file system without hard links. Use --force")
                default: throw Self.unwritable(path)
                }
            }
            unlink(draft.cPath)
        }
        return Int(status.st_size)
    }

    /// Sends the draft to a FIFO, a device or an open descriptor, and returns the number of bytes.
    func send(to output: OutputFile) throws(StoreError) -> Int {
        do {
            let target = try output.create()
            defer { close(target) }
            return try Descriptor(number: descriptor).copy(to: Descriptor(number: target))
        } catch {
            throw StoreError(.notWritable, output.path, "cannot be written: \(error)")
        }
    }

    func remove() {
        unlink(draft.cPath)
    }

    private static func checkTarget(_ path: String, replaces: Bool) throws(StoreError) {
        guard let status = stat(of: path, followsLinks: false) else { return }
        guard status.kind == S_IFREG else {
            throw StoreError(.notWritable, path, "exists and is no regular file. Choose another name")
        }
        guard replaces else { throw existing(path) }
    }

    private static func existing(_ path: String) -> StoreError {
        StoreError(.notWritable, path, "exists. Choose another name, or replace it with --force")
    }

    private static func unwritable(_ path: String) -> StoreError {
        let code = errno
        if code == ENOSPC || code == EDQUOT { return .diskFull(path) }
        return StoreError(
            .notWritable,
            path,
            "cannot be written (\(SystemError(code: code))). Choose a directory that exists and that this user may write to"
        )
    }
}
