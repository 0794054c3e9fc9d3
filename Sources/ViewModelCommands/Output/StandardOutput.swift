#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The reader of our output has gone: the way to end is quietly.
struct ClosedPipe: Error {}

/// Writes to a descriptor at once, without a buffer that could hold back a line.
struct Descriptor {
    static let output = Descriptor(number: STDOUT_FILENO)
    static let error = Descriptor(number: STDERR_FILENO)

    let number: Int32

    var isTerminal: Bool { isatty(number) == 1 }

    /// Writes all of the bytes.
    ///
    /// - Throws: ``ClosedPipe`` where nobody reads them any more, ``CommandFailure`` where they cannot be written.
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
