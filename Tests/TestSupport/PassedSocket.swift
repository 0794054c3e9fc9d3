import Glibc

/// A listening socket like one that systemd passes to a service.
package final class PassedSocket: Sendable {
    /// The path to which clients connect.
    package let path: String
    /// The file descriptor to pass.
    package let descriptor: Int32

    /// Creates a socket at an unused path and listens.
    package init(_ path: String) {
        self.path = path
        descriptor = boundSocket(SOCK_STREAM, at: path)
        precondition(listen(descriptor, 128) == 0)
    }

    /// Creates a socket at a random path and listens.
    package convenience init() {
        self.init("/tmp/passed-\(getpid())-\(UInt64.random(in: .min ... .max))")
    }

    deinit {
        close(descriptor)
        unlink(path)
    }
}
