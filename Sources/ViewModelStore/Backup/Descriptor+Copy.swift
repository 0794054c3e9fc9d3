import Glibc
import UnixIO

extension Descriptor {
    /// Writes the whole file to another descriptor, and returns the number of bytes.
    ///
    /// - Throws: `SystemError` if the file cannot be read; the errors of ``write(_:)``.
    func copy(to output: Descriptor) throws -> Int {
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        var sent = 0
        while true {
            let count = pread(number, &chunk, chunk.count, off_t(sent))
            guard count >= 0 || errno == EINTR else { throw SystemError.last }
            if count == 0 { return sent }
            try output.write(Array(chunk[..<max(count, 0)]))
            sent += max(count, 0)
        }
    }
}
