#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A socket that a service manager made and listens with, for a service to accept at.
package final class PassedSocket: Sendable {
    /// Where clients find it.
    package let path: String
    /// What is passed.
    package let descriptor: Int32

    /// A socket at a path where nothing is.
    package init(_ path: String) {
        self.path = path
        descriptor = boundSocket(SOCK_STREAM, at: path)
        precondition(listen(descriptor, 128) == 0)
    }

    /// A socket at a path of its own.
    package convenience init() {
        self.init("/tmp/passed-\(getpid())-\(UInt64.random(in: .min ... .max))")
    }

    deinit {
        close(descriptor)
        unlink(path)
    }
}
