import CUnixIO
import Glibc

/// The descriptors 0 to 2.
package enum StandardDescriptors {
    /// Opens the null device at each of the three that is closed.
    ///
    /// Otherwise the first sockets of the program would become its standard input and outputs. A write to a closed
    /// standard output still fails, because the device is open for reading there. Call it first in the program.
    package static func open() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // It gets the lowest number that is free.
            _ = Glibc.open("/dev/null", descriptor == STDOUT_FILENO ? O_RDONLY : O_RDWR)
        }
    }

    /// Makes the standard output write each line when it ends, also to a file or a pipe.
    ///
    /// Otherwise what a program prints appears when its buffer is full, or when it ends. Call it before the first output.
    package static func writeLines() { unix_write_lines() }
}
