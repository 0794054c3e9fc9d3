import Glibc

/// The client side of a connection, with buffers for unsent bytes and for an unfinished line.
final class LoadSocket {
    let descriptor: Int32
    private var unsent: [UInt8] = []
    private var unfinished: [UInt8] = []
    private var lastID = 0

    /// The buffer of a single read.
    private let chunk: UnsafeMutableRawBufferPointer

    /// Connects to a socket.
    init(_ path: String) throws {
        chunk = .allocate(byteCount: 16 << 10, alignment: 16)
        do {
            descriptor = try Self.connect(path)
        } catch {
            chunk.deallocate()
            throw error
        }
    }

    deinit {
        close(descriptor)
        chunk.deallocate()
    }

    private static func connect(_ path: String) throws -> Int32 {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw BenchFailure("no descriptor for one more connection: errno \(errno)") }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isCut = withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
            return path.utf8.count >= place.count
        }
        let status = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, !isCut else {
            close(descriptor)
            throw BenchFailure("\(path): cannot connect: errno \(errno)")
        }
        return descriptor
    }

    // MARK: Sending

    /// Appends a line to the unsent bytes; returns its id.
    @discardableResult
    func add(_ line: LineTemplate, number: Int = 0) -> Int {
        lastID += 1
        line.append(to: &unsent, id: lastID, number: number)
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

    /// Reads once, blocking until bytes arrive, and calls a closure with each complete line.
    func receive(_ take: (Line) throws -> Void) throws {
        let count = recv(descriptor, chunk.baseAddress, chunk.count, 0)
        if count < 0, errno == EINTR { return }
        guard count > 0 else { throw BenchFailure("the server hung up") }
        var rest = UnsafeRawBufferPointer(rebasing: chunk[..<count])
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
