import Glibc
package import Logging
import Synchronization
import UnixIO

/// The process's standard error.
package enum StandardError {
    /// Serializes the writes.
    private static let lock = Mutex(())

    /// Writes bytes as one unit: no other thread's bytes come in between.
    ///
    /// - Returns: false if no byte was written, because the call may not block.
    @discardableResult
    package static func write(_ bytes: [UInt8], mayBlock: Bool = true) -> Bool {
        guard !mayBlock else {
            // The log itself is the only channel for errors, so the error is dropped.
            lock.withLock { _ in _ = try? Descriptor.error.write(bytes) }
            return true
        }
        // A pipe that polls as writable accepts PIPE_BUF bytes without blocking (pipe(7)).
        guard bytes.count <= Int(PIPE_BUF) else { return false }
        return lock.withLockIfAvailable { _ in
            var watched = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            guard poll(&watched, 1, 0) > 0, Int32(watched.revents) & POLLOUT != 0 else { return false }
            return Glibc.write(STDERR_FILENO, bytes, bytes.count) > 0
        } ?? false
    }

    /// Writes lines about the program's start, before the log exists, each of which begins with the daemon's name.
    ///
    /// The environment shows whether a service manager expects a severity in each line.
    package static func print(as name: String, _ text: String, level: Logger.Level) {
        let isJournal = JournalStream.ofProcess != nil
        for line in text.split(separator: "\n") {
            let record = LogRecord(level: level, message: "\(name): \(line)", metadata: [:])
            write(isJournal ? record.priorityLine : Array("\(record.message)\n".utf8))
        }
    }
}
