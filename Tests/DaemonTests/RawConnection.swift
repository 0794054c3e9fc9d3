import Foundation
import ViewModelProtocol

/// A client that knows nothing but bytes; every wait ends after two minutes.
final class RawConnection {
    struct Failure: Error {
        let what: String
    }

    /// So many replies to `rpc.discover` fill every buffer.
    static let manyReplies = 60

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    init(_ path: String) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // No closing here: a failed initialiser is followed by `deinit`, and a number that is closed twice may be another file's.
        guard connected == 0 else { throw Failure(what: "connect: \(String(cString: strerror(errno)))") }
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Tries to connect until the daemon listens.
    static func waitUntilListening(_ path: String) async throws {
        let end = ContinuousClock.now + .seconds(120)
        while true {
            do {
                _ = try RawConnection(path)
                return
            } catch {
                guard ContinuousClock.now < end else { throw error }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    func send(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    func sendLine(_ text: String) {
        send(text + "\n")
    }

    func shutdownWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The next line without its end; nil at the end of the stream.
    func line() throws -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard try receive() else { return nil }
        }
    }

    /// All that comes until the end of the stream.
    func rest() throws -> String {
        while try receive() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// The next line as JSON.
    func message() throws -> JSONValue {
        guard let line = try line() else { throw Failure(what: "the daemon closed the connection") }
        return try Array(line.utf8).withUnsafeBytes { try JSONValue(parsing: $0) }
    }

    /// Sends a request and gives the first message that is no notification.
    func call(_ method: String, _ params: String = "{}", id: Int = 1) throws -> JSONValue {
        sendLine(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#)
        while true {
            let message = try message()
            if message["method"] == nil { return message }
        }
    }

    private func receive() throws -> Bool {
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0 {
            if errno == ECONNRESET { return false }
            throw Failure(what: "recv: \(String(cString: strerror(errno)))")
        }
        buffer.append(contentsOf: chunk[..<count])
        return count > 0
    }
}
