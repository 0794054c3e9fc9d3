import Glibc

/// The error of a write to a pipe without a reader.
package struct ClosedPipe: Error, CustomStringConvertible {
    package init() {}

    package var description: String { "The output has no reader" }
}

/// The error of an output that could not be written as a whole.
package struct OutputError: Error, Equatable, CustomStringConvertible {
    package let cause: SystemError

    package init(cause: SystemError) {
        self.cause = cause
    }

    package var description: String { "The output cannot be written: \(cause)" }
}

/// An unbuffered writer to a file descriptor.
package struct Descriptor: Sendable {
    package static let output = Descriptor(number: STDOUT_FILENO)
    package static let error = Descriptor(number: STDERR_FILENO)

    package let number: Int32

    package init(number: Int32) {
        self.number = number
    }

    package var isTerminal: Bool { isatty(number) == 1 }

    /// Writes all of the bytes, and blocks until the descriptor accepts them.
    ///
    /// - Throws: ``ClosedPipe`` if the pipe has no reader, ``OutputError`` for any other failure.
    package func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: break
            case EAGAIN: waitUntilWritable()
            case EPIPE: throw ClosedPipe()
            default: throw OutputError(cause: .last)
            }
        }
    }

    /// Reads to the end, and of more bytes than a limit one byte more.
    package func read(atMost limit: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: min(limit + 1, 1 << 16))
        while bytes.count <= limit {
            let count = Glibc.read(number, &chunk, min(chunk.count, limit + 1 - bytes.count))
            if count == 0 { break }
            guard count > 0 || errno == EINTR else { throw .last }
            bytes += chunk[..<max(count, 0)]
        }
        return bytes
    }

    /// Writes a line of text for people (`String.shown`).
    package func write(line: String) throws {
        try write(Array(line.shown.utf8) + [UInt8(ascii: "\n")])
    }

    /// Reports a failure that the system shows when a descriptor is closed, such as a full disk of a file server.
    package func finish() throws(OutputError) {
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
        guard copy < 0 || close(copy) == 0 || errno == EINTR else { throw OutputError(cause: .last) }
    }

    private func waitUntilWritable() {
        var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }
}
