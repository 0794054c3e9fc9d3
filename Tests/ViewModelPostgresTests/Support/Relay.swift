import Dispatch
import Glibc
import PostgresSupport
import Synchronization

/// A Unix socket that passes bytes to the server, and can stop like a dead network.
final class Relay: Sendable {
    private struct State {
        var isDead = false
        /// The answer that is swallowed, with all that follows on its connection.
        var swallowed: [UInt8]?
        var descriptors: [Int32] = []
        /// Whether a swallowed answer cuts its connection.
        var cuts = false
    }

    /// The port that stands for this relay in the name of the socket.
    let port: Int
    private let target: String
    private let path: String
    private let listener: Int32
    private let state = Mutex(State())
    private static let lastPort = Atomic(10_000)

    /// Starts a relay beside the socket of a server.
    init(to server: PostgresServer) throws {
        port = Self.lastPort.add(1, ordering: .relaxed).newValue
        target = "\(server.directory)/.s.PGSQL.\(server.port)"
        path = "\(server.directory)/.s.PGSQL.\(port)"
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.address(path, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0 else {
            throw PostgresServer.Failure(what: "the relay cannot listen at \(path)")
        }
        let accepting = listener
        DispatchQueue(label: "relay").async { [weak self] in
            while true {
                let client = accept(accepting, nil, nil)
                guard client >= 0, let self else { return }
                connect(client)
            }
        }
    }

    /// Passes no more bytes, and closes nothing.
    func die() { state.withLock { $0.isDead = true } }

    /// Passes bytes of new connections again.
    func revive() {
        state.withLock { state in
            state.isDead = false
            state.swallowed = nil
        }
    }

    /// Swallows the answers of a connection from the one that contains `text` on.
    ///
    /// If `cuts` is true, it closes the connection then.
    func swallow(_ text: String, cuts: Bool = false) {
        state.withLock { state in
            state.swallowed = Array(text.utf8)
            state.cuts = cuts
        }
    }

    /// Closes all connections.
    func cut() {
        for descriptor in state.withLock({ $0.descriptors }) { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }

    /// Ends the relay.
    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        cut()
        unlink(path)
    }

    private func connect(_ client: Int32) {
        let server = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard Self.address(target, { Glibc.connect(server, $0, $1) }) == 0 else {
            close(client)
            close(server)
            return
        }
        state.withLock { $0.descriptors += [client, server] }
        for (source, sink, answers) in [(client, server, false), (server, client, true)] {
            DispatchQueue(label: "relay").async { self.pass(source, sink, answers) }
        }
    }

    private func pass(_ source: Int32, _ sink: Int32, _ answers: Bool) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isSilent = false
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { break }
            isSilent =
                state.withLock { state in
                    guard answers, let text = state.swallowed else { return state.isDead }
                    let found = (0..<count).contains { buffer[$0..<count].starts(with: text) }
                    if found { state.swallowed = nil }
                    return found || state.isDead
                } || isSilent
            if isSilent, answers, state.withLock({ $0.cuts && $0.swallowed == nil }) { break }
            if !isSilent { _ = send(sink, buffer, count, Int32(MSG_NOSIGNAL)) }
        }
        shutdown(sink, Int32(SHUT_RDWR))
    }

    private static func address(_ path: String, _ use: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { use($0, length) }
        }
    }
}
