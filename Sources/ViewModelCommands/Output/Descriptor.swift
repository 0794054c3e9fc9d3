#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The error of a write to a pipe without a reader; the command then ends without a message.
struct ClosedPipe: Error {}

/// An unbuffered writer to a file descriptor.
struct Descriptor: Sendable {
    static let output = Descriptor(number: STDOUT_FILENO)
    static let error = Descriptor(number: STDERR_FILENO)

    let number: Int32

    var isTerminal: Bool { isatty(number) == 1 }

    /// Writes all of the bytes, and blocks until the descriptor accepts them.
    ///
    /// - Throws: ``ClosedPipe`` if the pipe has no reader, ``CommandFailure`` for any other failure.
    func write(_ bytes: [UInt8]) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { systemWrite(number, $0) }
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: break
            case EAGAIN: waitUntilWritable()
            case EPIPE: throw ClosedPipe()
            default:
                let reason = String(cString: strerror(errno))
                throw CommandFailure(status: .failed, message: "The output cannot be written: \(reason)")
            }
        }
    }

    /// Writes a line.
    func write(line: String) throws {
        try write(Array(line.utf8) + [UInt8(ascii: "\n")])
    }

    private func waitUntilWritable() {
        var request = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
    }
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(number, bytes.baseAddress, bytes.count)
}
