import Glibc

/// An error of a system call.
package struct SystemError: Error, Equatable, CustomStringConvertible {
    /// The error number (errno(3)).
    package let code: Int32

    package init(code: Int32) {
        self.code = code
    }

    /// The error of the last system call of this thread.
    package static var last: Self { Self(code: errno) }

    /// The system's text, such as "No space left on device".
    package var description: String { String(cString: strerror(code)) }
}
