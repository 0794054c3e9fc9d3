import Glibc
import Logging
import Synchronization
import UnixIO
import ViewModelHost

/// The sockets on which a server accepts connections: its own one, or those that another process has created.
///
/// The server closes them when it ends.
package final class ServerSockets: Sendable {
    private let sockets: Mutex<[ListeningSocket]>

    /// Creates the server's own socket, to which clients cannot connect before ``listen()``.
    ///
    /// - Throws: ``SocketError``, which names the socket and the reason.
    package init(own options: SocketOptions) throws(SocketError) {
        sockets = Mutex([try ListeningSocket(options)])
    }

    /// Adopts the descriptors of listening sockets that another process created.
    ///
    /// - Throws: ``SocketError``, which names the descriptor and the reason.
    package init(inherited: [Int32]) throws(SocketError) {
        for descriptor in inherited { try Self.unblock(descriptor) }
        sockets = Mutex(inherited.map(ListeningSocket.init(adopting:)))
    }

    private var all: [ListeningSocket] { sockets.withLock { $0 } }

    /// The listening descriptors, all of them non-blocking.
    var descriptors: [Int32] { all.map(\.descriptor) }

    /// The paths under which clients find the sockets.
    var paths: [String] { all.map(\.path) }

    func listen() throws(SocketError) {
        for socket in all { try socket.listen() }
    }

    /// Keeps the sockets reachable while others remove or replace their files, until the task is cancelled.
    ///
    /// The server listens again at its own socket: `adopt` accepts from other descriptors from now on, and closes the former
    /// ones. The loss of an inherited socket is logged.
    func keep(_ logger: Logger, _ health: HealthMonitor, _ adopt: ([Int32]) -> Void) async {
        health.updateSocket { $0.path = paths.joined(separator: ", ").shown }
        guard let socket = all.first(where: { $0.own != nil }) else { return await logLosses(logger, health) }
        func lost() {
            health.updateSocket { socket in
                socket.healthy = false
                socket.losses += 1
            }
        }
        await socket.keep(logger, lost: lost) { replacement in
            sockets.withLock { $0 = [replacement] }
            adopt([replacement.descriptor])
            health.updateSocket { $0.healthy = true }
        }
    }

    /// Reports each inherited socket whose file is removed or replaced.
    private func logLosses(_ logger: Logger, _ health: HealthMonitor) async {
        let sockets = all.filter(\.isAtPath)
        guard !sockets.isEmpty else { return }
        let files = sockets.map(\.path)
        var lost: Set<String> = []
        await FileWatch.follow({ files }, since: FileStamps(of: files), logger: logger) {
            let missing = Set(sockets.filter { !$0.isAtPath }.map(\.path))
            let new = missing.subtracting(lost)
            for path in new.sorted() {
                logger.error(
                    "The file of a passed socket was removed or replaced, so no client can connect. Restart its unit",
                    metadata: ["socket": "\(path)"]
                )
            }
            health.updateSocket { socket in
                socket.healthy = missing.isEmpty
                socket.losses += new.count
            }
            lost = missing
            return nil
        }
    }

    /// Removes the server's own socket and closes the descriptors.
    ///
    /// Called after the accept thread has ended.
    func close() {
        for socket in all {
            socket.remove()
            Glibc.close(socket.descriptor)
        }
    }

    /// Makes a descriptor non-blocking.
    ///
    /// Otherwise a client that leaves between `poll` and `accept` would block the accept thread.
    static func unblock(_ descriptor: Int32) throws(SocketError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw SocketError("the inherited socket \(descriptor) cannot be used: \(SystemError.last)")
        }
    }
}

/// The path, the permissions and the group of a socket that the server creates.
package struct SocketOptions: Sendable {
    /// The path, at most 107 bytes.
    package var path: String
    /// The permissions.
    ///
    /// The socket has them before clients can connect.
    package var mode: UInt32
    /// The id of the socket's group.
    ///
    /// Nil keeps the group of the process.
    package var group: UInt32?
    /// The option of the program that names another path, for errors.
    package var option: String

    package init(path: String, mode: UInt32 = 0o600, group: UInt32? = nil, option: String = "--socket") {
        self.path = path
        self.mode = mode
        self.group = group
        self.option = option
    }
}

/// The reason why a socket could not be created or adopted.
public struct SocketError: Error, Sendable, CustomStringConvertible {
    /// The failure, with the path or descriptor and the remedy if there is one.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// The limit of open files and sockets of the process (`RLIMIT_NOFILE`).
package enum DescriptorLimit {
    /// Raises the soft limit to the hard limit, because each connection needs a descriptor; returns the limit.
    @discardableResult
    package static func raise() -> Int {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return Int(clamping: limit.rlim_cur)
    }
}
