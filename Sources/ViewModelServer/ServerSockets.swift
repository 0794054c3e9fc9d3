#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The sockets that a server accepts connections at.
///
/// One of its own is locked, given its mode, and removed at the end. Those that were inherited are nothing but accepted at:
/// their files and their backlogs outlast the server, so that clients who come too late for it wait for the next.
struct ServerSockets: Sendable {
    /// The listening descriptors, none of which blocks.
    let descriptors: [Int32]
    /// Where clients find them.
    let paths: [String]
    private let own: ListeningSocket?

    /// Takes the sockets; nobody can connect to one of its own before ``listen()``.
    ///
    /// - Throws: ``SocketError``, which names the socket and what stands in the way.
    init(_ source: SocketSource) throws(SocketError) {
        switch source {
        case .own(let place):
            let socket = try ListeningSocket(place)
            own = socket
            descriptors = [socket.descriptor]
            paths = [socket.path]
        case .inherited(let inherited):
            own = nil
            descriptors = inherited
            paths = inherited.map(Self.path)
            for descriptor in inherited { try Self.unblock(descriptor) }
        }
    }

    /// Lets clients connect.
    ///
    /// - Throws: ``SocketError`` when the kernel does not let it.
    func listen() throws(SocketError) {
        try own?.listen()
    }

    /// Gives the sockets back once nobody accepts at them.
    func close() {
        for descriptor in descriptors { closeDescriptor(descriptor) }
        own?.remove()
    }

    /// A client that has gone between `poll` and `accept` must not hold the others up.
    private static func unblock(_ descriptor: Int32) throws(SocketError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw SocketError("the inherited socket \(descriptor) cannot be used: \(ListeningSocket.lastError)")
        }
    }

    private static func path(of descriptor: Int32) -> String {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isKnown = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard isKnown == 0 else { return "descriptor \(descriptor)" }
        let count = Int(length) - MemoryLayout<sa_family_t>.size
        let name = withUnsafeBytes(of: address.sun_path) { Array($0.prefix(max(count, 0))) }
        switch name.first {
        case nil: return "descriptor \(descriptor)"
        // An abstract socket, which is a name without a file.
        case 0: return "@" + String(decoding: name.dropFirst(), as: UTF8.self)
        default: return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

private func closeDescriptor(_ descriptor: Int32) {
    #if canImport(Glibc)
        Glibc.close(descriptor)
    #else
        Musl.close(descriptor)
    #endif
}
