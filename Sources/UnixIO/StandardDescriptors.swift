#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The descriptors 0 to 2.
package enum StandardDescriptors {
    /// Opens the null device at each of the three that is closed.
    ///
    /// Otherwise the first sockets of the program would become its standard input and outputs. Call it first in the
    /// program.
    package static func open() {
        while case let descriptor = openNullDevice(), descriptor >= 0 {
            guard descriptor > STDERR_FILENO else { continue }
            close(descriptor)
            return
        }
    }

    private static func openNullDevice() -> Int32 {
        #if canImport(Glibc)
            Glibc.open("/dev/null", O_RDWR)
        #elseif canImport(Musl)
            Musl.open("/dev/null", O_RDWR)
        #else
            Darwin.open("/dev/null", O_RDWR)
        #endif
    }
}
