import Glibc
import UnixIO

/// A reader of small text files.
package enum FileText {
    /// An error: the file cannot be read.
    package struct Failure: Error {
        package let reason: String
        /// Whether the file does not exist.
        var isAbsence = false
    }

    /// Returns the text of a file, which may be a pipe if the call may wait for the writer of the pipe.
    ///
    /// No configuration is longer than the default of `longest`, and an endless device must not be read to its end.
    ///
    /// - Throws: ``Failure``: the file cannot be read, is a pipe or longer, or is not UTF-8.
    package static func read(
        _ path: String,
        atMost longest: Int = 1 << 20,
        mayWait: Bool = false
    ) throws(Failure) -> String {
        let descriptor = open(path.cPath, O_RDONLY | O_CLOEXEC | (mayWait ? 0 : O_NONBLOCK))
        guard descriptor >= 0 else { throw failure(.last) }
        defer { close(descriptor) }
        guard let status = stat(of: descriptor) else { throw failure(.last) }
        guard mayWait || status.kind != S_IFIFO else { throw Failure(reason: "it is a pipe, not a file") }
        let bytes: [UInt8]
        do {
            bytes = try Descriptor(number: descriptor).read(atMost: longest)
        } catch {
            throw failure(error)
        }
        guard bytes.count <= longest else { throw Failure(reason: "it is longer than \(longest) bytes") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Failure(reason: "it is not UTF-8 text")
        }
        return text
    }

    private static func failure(_ error: SystemError) -> Failure {
        Failure(reason: "\(error)", isAbsence: error.code == ENOENT || error.code == ENOTDIR)
    }
}
