import CUnixIO
import Glibc

/// The close-on-exec flag of descriptors, without which a child process inherits them.
package enum CloseOnExec {
    /// Sets the flag of a descriptor that a library has made.
    package static func set(_ descriptor: Int32) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }

    /// Sets the flag of all open descriptors but the standard ones.
    ///
    /// A program calls it before it starts a child. What it makes itself has the flag from its creation; its libraries may
    /// not set it.
    package static func setAll() { unix_close_on_exec(0) }

    /// Sets the flag of the open epoll instances.
    ///
    /// NIO creates those of its event loops without the flag. Call it after an event loop group was created.
    package static func setPolls() { unix_close_on_exec(1) }
}

/// A pipe whose ends have the close-on-exec flag.
package struct DescriptorPipe: Sendable {
    /// The descriptor from which the bytes are read.
    package let output: Int32
    /// The descriptor to which the bytes are written.
    package let input: Int32

    /// Makes a pipe.
    ///
    /// - Throws: ``SystemError`` if the process or the system has no free descriptor.
    package init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unix_pipe(&ends) == 0 else { throw .last }
        (output, input) = (ends[0], ends[1])
    }
}

/// Accepts a connection; its descriptor has the close-on-exec flag.
///
/// - Returns: the descriptor, or -1 with `errno` set.
package func acceptConnection(from listener: Int32) -> Int32 { unix_accept(listener) }
