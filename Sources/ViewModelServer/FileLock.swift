#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock on a file that one process holds until it ends.
final class FileLock: Sendable {
    /// Why a lock could not be taken.
    struct Failure: Error, CustomStringConvertible {
        /// Names the file and who holds it.
        let description: String
        /// Whether another process holds it, rather than that it cannot be had at all.
        let isHeld: Bool
    }

    private let path: String
    private let descriptor: Int32

    /// Takes the lock, or says who has it.
    init(path: String) throws(Failure) {
        self.path = path
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(description: "\(path) cannot be opened: \(String(cString: strerror(errno)))", isHeld: false)
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var buffer = [UInt8](repeating: 0, count: 32)
            let count = max(0, pread(descriptor, &buffer, buffer.count, 0))
            let holder = String(decoding: buffer[..<count], as: UTF8.self)
            close(descriptor)
            throw Failure(
                description: "\(path) is locked by process \(holder.isEmpty ? "unknown" : holder)",
                isHeld: true
            )
        }
        let holder = Array("\(getpid())".utf8)
        ftruncate(descriptor, 0)
        pwrite(descriptor, holder, holder.count, 0)
        self.descriptor = descriptor
    }

    /// Gives the lock back.
    ///
    /// Its file stays: removing it could part two who wait for the same lock.
    func release() {
        close(descriptor)
    }
}
