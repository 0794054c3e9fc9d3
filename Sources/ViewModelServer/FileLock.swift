import Glibc
import Synchronization
import UnixIO

/// An exclusive lock on a file (`flock(2)`), held until ``release()`` or the end of the process.
final class FileLock: Sendable {
    /// The reason why a file could not be locked.
    struct Failure: Error, CustomStringConvertible {
        /// Names the file, and the process that holds the lock or the system's error.
        let description: String
        /// Whether another process holds the lock.
        ///
        /// False if the file could not be opened.
        let isHeld: Bool
    }

    /// The locked file's descriptor, or nil once the lock is released.
    private let descriptor: Mutex<Int32?>

    /// Locks the file and writes the process id into it, or throws without waiting.
    init(path: String) throws(Failure) {
        let descriptor = open(path.cPath, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw Failure(description: "\(path) cannot be opened: \(SystemError.last)", isHeld: false)
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
        self.descriptor = Mutex(descriptor)
    }

    /// Releases the lock, once.
    ///
    /// The file stays. If it were removed, two processes could hold locks on two different files at the same path.
    func release() {
        guard let descriptor = descriptor.withLock({ $0.take() }) else { return }
        // A process that is being started shares the open file until its `exec`. Closing alone would leave it the lock.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
