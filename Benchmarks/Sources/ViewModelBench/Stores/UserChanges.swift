import Foundation

/// A load of many users, each with one connection and an outbox: every reply triggers the next addition.
struct UserChanges {
    static let draft: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"sendList.draft","params":["item {n}"]}"#
    static let add: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"sendList.add"}"#

    /// The first uid.
    ///
    /// The users need no entry in the machine's list.
    private static let firstUser: uid_t = 200_000

    let users: Int

    /// Measures the additions a second, of which the first tenth of the time is warm-up.
    ///
    /// - Parameters:
    ///   - nodes: The daemons. The users are spread over them by turns.
    ///   - seconds: The length of the measurement.
    /// - Returns: The number of saved additions per second.
    /// - Throws: ``BenchFailure`` if a server refuses a request or loses an addition.
    func measure(_ nodes: [ServerProcess], seconds: Double) throws -> Double {
        let sockets = try (0..<users).map { try connect(nodes[$0 % nodes.count], as: Self.firstUser + uid_t($0)) }
        var additions = [Int](repeating: 0, count: users)
        let poller = Poller(sockets)
        for socket in sockets { try send(1, on: socket) }
        let start = nanoseconds()
        let (begin, end) = (start + UInt64(seconds * 1e8), start + UInt64(seconds * 1e9))
        var (now, count) = (start, 0)
        while now < end {
            try poller.wait { index in
                guard try receive(on: sockets[index]) else { return }
                now = nanoseconds()
                additions[index] += 1
                if now >= begin { count += 1 }
                try send(additions[index] + 1, on: sockets[index])
            }
        }
        for index in sockets.indices {
            while try !receive(on: sockets[index]) {}
            try check(sockets[index], has: additions[index] + 1)
        }
        return Double(count) / (Double(now - begin) / 1e9)
    }

    private func connect(_ node: ServerProcess, as user: uid_t) throws -> LoadSocket {
        // The kernel reports the effective uid at the time of the connect to the daemon.
        guard seteuid(user) == 0 else { throw BenchFailure("another user's client needs root") }
        defer { seteuid(0) }
        return try node.connect()
    }

    /// Types a text and adds it, in one call.
    private func send(_ number: Int, on socket: LoadSocket) throws {
        socket.add(Self.draft, number: number)
        socket.add(Self.add)
        try socket.flush()
    }

    /// Reads once; returns whether the reply of the addition is there.
    ///
    /// Of the two ids, the addition has the even one.
    private func receive(on socket: LoadSocket) throws -> Bool {
        var isAdded = false
        try socket.receive { line in
            guard !line.isError else { throw BenchFailure("the server refuses: \(line.text)") }
            if !line.isNotification, let id = line.id, id.isMultiple(of: 2) { isAdded = true }
        }
        return isAdded
    }

    private func check(_ socket: LoadSocket, has count: Int) throws {
        let reply = try socket.call(
            #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.read","params":{"id":"sendList","outputs":["items"]}}"#
        )
        let found = reply.components(separatedBy: #""status":"queued""#).count - 1
        guard found == count else { throw BenchFailure("\(count) items were added, and the list has \(found)") }
    }
}
