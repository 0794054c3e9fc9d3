import Foundation
package import JSONRPC

/// A client that sends and receives bytes.
///
/// Every wait ends after two minutes.
package final class RawConnection {
    package struct Failure: Error {
        let what: String

        package init(what: String) {
            self.what = what
        }
    }

    /// The number of replies to `rpc.discover` that fill all buffers.
    package static let manyReplies = 60

    private let descriptor: Int32
    private var buffer: [UInt8] = []

    package convenience init(_ path: String) throws {
        self.init(descriptor: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0))
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        // `deinit` closes the descriptor after a failure, too. A number that is closed twice may be another file's.
        guard connected == 0 else { throw Failure(what: "connect: \(String(cString: strerror(errno)))") }
    }

    /// Uses a connected socket, and closes it at the end.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
    }

    /// Tries to connect until the daemon listens.
    package static func waitUntilListening(_ path: String) async throws {
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

    package func send(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            bytes = bytes.dropFirst(count)
        }
    }

    package func sendLine(_ text: String) {
        send(text + "\n")
    }

    package func shutdownWriting() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    /// Returns the next line without its end; nil at the end of the stream.
    package func line() throws -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard try receive() else { return nil }
        }
    }

    /// Returns all bytes up to the end of the stream.
    package func rest() throws -> String {
        while try receive() {}
        defer { buffer = [] }
        return String(decoding: buffer, as: UTF8.self)
    }

    /// Returns the next line as JSON.
    package func message() throws -> JSONValue {
        guard let line = try line() else { throw Failure(what: "the daemon closed the connection") }
        return try Array(line.utf8).withUnsafeBytes { try JSONValue(parsing: $0) }
    }

    /// Sends a request and returns the first message that is no notification.
    package func call(_ method: String, _ params: String = "{}", id: Int = 1) throws -> JSONValue {
        sendLine(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#)
        while true {
            let message = try message()
            if message["method"] == nil { return message }
        }
    }

    /// Waits up to two minutes until the other end has closed the connection, without reading.
    package func waitUntilClosed() {
        var watched = pollfd(fd: descriptor, events: 0, revents: 0)
        _ = poll(&watched, 1, 120_000)
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
