import Glibc

/// The client side of a connection, with buffers for unsent bytes and for an unfinished line.
final class LoadSocket {
    let descriptor: Int32
    private var unsent: [UInt8] = []
    private var unfinished: [UInt8] = []
    private var lastID = 0
    /// The frames of a WebSocket connection; nil for a connection that carries lines.
    private var webSocket: WebSocketCarrier?

    /// The buffer of a single read.
    private let chunk: UnsafeMutableRawBufferPointer

    /// Connects to a socket.
    convenience init(_ path: String) throws {
        self.init(try Self.connect(path), webSocket: nil)
    }

    /// Connects to a port of a gateway, with a WebSocket.
    convenience init(port: UInt16, token: String) throws {
        self.init(try Self.connect(port: port, token: token), webSocket: WebSocketCarrier())
    }

    private init(_ descriptor: Int32, webSocket: WebSocketCarrier?) {
        self.descriptor = descriptor
        self.webSocket = webSocket
        chunk = .allocate(byteCount: 16 << 10, alignment: 16)
    }

    deinit {
        close(descriptor)
        chunk.deallocate()
    }

    // MARK: Sending

    /// Appends a line to the unsent bytes; returns its id.
    @discardableResult
    func add(_ line: LineTemplate, number: Int = 0) -> Int {
        lastID += 1
        if webSocket == nil {
            line.append(to: &unsent, id: lastID, number: number)
        } else {
            var text: [UInt8] = []
            line.append(to: &text, id: lastID, number: number)
            WebSocketCarrier.append(text, to: &unsent)
        }
        return lastID
    }

    /// Sends the unsent bytes, in one call if the socket accepts all of them.
    func flush() throws {
        var sent = 0
        while sent < unsent.count {
            let count = unsent.withUnsafeBytes { bytes in
                Glibc.send(descriptor, bytes.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno != EINTR { throw BenchFailure("the server hung up: errno \(errno)") }
            sent += max(0, count)
        }
        unsent.removeAll(keepingCapacity: true)
    }

    // MARK: Receiving

    /// Reads once, blocking until bytes arrive, and calls a closure with each complete line or message.
    func receive(_ take: (Line) throws -> Void) throws {
        let count = recv(descriptor, chunk.baseAddress, chunk.count, 0)
        if count < 0, errno == EINTR { return }
        guard count > 0 else { throw BenchFailure("the server hung up") }
        var rest = UnsafeRawBufferPointer(rebasing: chunk[..<count])
        if try webSocket?.receive(rest, take) != nil { return }
        while let start = rest.baseAddress, let feed = memchr(start, 0x0A, rest.count) {
            let length = UnsafeRawPointer(feed) - start
            let line = UnsafeRawBufferPointer(rebasing: rest[..<length])
            if unfinished.isEmpty {
                try take(Line(line))
            } else {
                unfinished.append(contentsOf: line)
                try unfinished.withUnsafeBytes { try take(Line($0)) }
                unfinished.removeAll(keepingCapacity: true)
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[(length + 1)...])
        }
        unfinished.append(contentsOf: rest)
    }

    /// Sends one line and waits for its reply.
    ///
    /// Other lines are ignored.
    @discardableResult
    func call(_ line: LineTemplate, number: Int = 0) throws -> String {
        let id = add(line, number: number)
        try flush()
        var reply: String?
        while reply == nil {
            try receive { line in
                if !line.isNotification, line.id == id {
                    guard !line.isError else { throw BenchFailure("the server refuses: \(line.text)") }
                    reply = line.text
                }
            }
        }
        return reply ?? ""
    }

    /// Sends one line and waits for its reply and for a number of notifications, in any order.
    ///
    /// The caller has no other unanswered request.
    ///
    /// - Returns: the length of the notifications in bytes.
    func exchange(_ line: LineTemplate, number: Int, notifications expected: Int) throws -> Int {
        add(line, number: number)
        try flush()
        var (replies, notifications, bytes) = (0, 0, 0)
        while replies < 1 || notifications < expected {
            try receive { line in
                guard !line.isError else { throw BenchFailure("the server refuses: \(line.text)") }
                if line.isNotification {
                    notifications += 1
                    bytes += line.length
                } else {
                    replies += 1
                }
            }
        }
        return bytes
    }
}
