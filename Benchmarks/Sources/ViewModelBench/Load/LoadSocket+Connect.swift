import Glibc

/// Connections to a Unix socket and to a loopback port.
extension LoadSocket {
    static func connect(_ path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let isCut = withUnsafeMutableBytes(of: &address.sun_path) { place in
            place.copyBytes(from: path.utf8.prefix(place.count - 1))
            return path.utf8.count >= place.count
        }
        guard !isCut else { throw BenchFailure("\(path): the path is too long") }
        return try open(AF_UNIX, address, at: path, Glibc.connect)
    }

    /// Connects to a gateway and makes the opening handshake of a WebSocket.
    static func connect(port: UInt16, token: String) throws -> Int32 {
        let place = "127.0.0.1:\(port)"
        let descriptor = try open(AF_INET, loopback(port), at: place, Glibc.connect)
        let request = Array(
            [
                "GET /ws HTTP/1.1", "Host: \(place)", "Origin: http://\(place)", "Authorization: Bearer \(token)",
                "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Protocol: viewmodel.v1", "\r\n",
            ].joined(separator: "\r\n").utf8
        )
        var reply: [UInt8] = []
        if send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count {
            var byte: UInt8 = 0
            // One byte at a time, so that no byte of a frame is read.
            while !reply.suffix(4).elementsEqual("\r\n\r\n".utf8), recv(descriptor, &byte, 1, 0) == 1 {
                reply.append(byte)
            }
        }
        guard reply.starts(with: "HTTP/1.1 101 ".utf8) else {
            close(descriptor)
            throw BenchFailure("the gateway refuses a WebSocket: \(String(decoding: reply, as: UTF8.self))")
        }
        return descriptor
    }

    /// Returns a port on which no program listens.
    static func freePort() throws -> UInt16 {
        let descriptor = try open(AF_INET, loopback(0), at: "127.0.0.1", Glibc.bind)
        defer { close(descriptor) }
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return UInt16(bigEndian: address.sin_port)
    }

    private static func loopback(_ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Creates a stream socket and connects or binds it.
    private static func open<Address>(
        _ family: Int32,
        _ address: Address,
        at place: String,
        _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw BenchFailure("no descriptor for one more connection: errno \(errno)") }
        let status = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw BenchFailure("\(place): cannot connect: errno \(errno)")
        }
        return descriptor
    }
}
