package import Logging
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The process's standard error.
package enum StandardError {
    private static let turn = Mutex(())

    /// Writes bytes that stay together: no other thread's come in between.
    package static func write(_ bytes: [UInt8]) {
        turn.withLock { _ in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { writeOnce($0) }
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN, waitForRoom() { continue }
                // There is nobody to tell that the log cannot be written.
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Writes bytes, like ``write(_:)``, if that takes no waiting.
    ///
    /// - Returns: false when nothing was written.
    static func writeAtOnce(_ bytes: [UInt8]) -> Bool {
        // A pipe that has room at all has room for so many: pipe(7).
        guard bytes.count <= Int(PIPE_BUF) else { return false }
        return turn.withLockIfAvailable { _ in
            var watched = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
            guard poll(&watched, 1, 0) > 0, Int32(watched.revents) & POLLOUT != 0 else { return false }
            return bytes.withUnsafeBytes { writeOnce($0) } > 0
        } ?? false
    }

    /// Writes lines about the program's own start, when there is no log yet.
    ///
    /// - Parameter environment: asked whether a service manager wants each line's severity.
    package static func print(_ text: String, level: Logger.Level, environment: [String: String]) {
        let isJournal = JournalStream(variable: environment["JOURNAL_STREAM"]) != nil
        for line in text.split(separator: "\n") {
            let record = LogRecord(level: level, message: "viewmodeld: \(line)", metadata: [:])
            write(isJournal ? record.priorityLine : Array("\(record.message)\n".utf8))
        }
    }

    /// Somebody who shares the standard error may have made it non-blocking.
    private static func waitForRoom() -> Bool {
        var watched = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return poll(&watched, 1, -1) >= 0 || errno == EINTR
    }

    private static func writeOnce(_ bytes: UnsafeRawBufferPointer) -> Int {
        #if canImport(Glibc)
            Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #else
            Musl.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
        #endif
    }
}
