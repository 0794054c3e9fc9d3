import Foundation

/// A load of many clients, each of which saves something again when the last one is saved.
struct SavingLoad {
    /// What a client sends: the last line is answered when its effect is saved.
    enum Step {
        /// The client is a user of its own, and types and adds a message.
        case addition
        /// The client has a session of its own, and opens or leaves a scene.
        case scene
    }

    static let draft: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"sendList.draft","params":["item {n}"]}"#
    static let add: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"sendList.add"}"#
    private static let attach: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"bench-{n}"}}"#
    private static let scenes: [LineTemplate] = [
        #"{"jsonrpc":"2.0","id":{id},"method":"coordinator.back"}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"coordinator.open","params":{"scene":"help"}}"#,
    ]

    /// The first uid.
    ///
    /// The users need no entry in the machine's list.
    static let firstUser: uid_t = 200_000

    let clients: Int
    let step: Step

    /// Measures the saved steps a second, of which the first tenth of the time is warm-up.
    ///
    /// - Parameters:
    ///   - nodes: The daemons. The clients are spread over them by turns.
    ///   - seconds: The length of the measurement.
    /// - Returns: The number of saved steps per second.
    /// - Throws: ``BenchFailure`` if a server refuses a request or loses an addition.
    func measure(_ nodes: [ServerProcess], seconds: Double) throws -> Double {
        let sockets = try (0..<clients).map { try connect(nodes[$0 % nodes.count], number: $0) }
        var counts = [Int](repeating: 0, count: clients)
        let poller = Poller(sockets)
        for socket in sockets { try send(1, on: socket) }
        let start = nanoseconds()
        let (begin, end) = (start + UInt64(seconds * 1e8), start + UInt64(seconds * 1e9))
        var (now, count) = (start, 0)
        while now < end {
            try poller.wait { index in
                guard try receive(on: sockets[index]) else { return }
                now = nanoseconds()
                counts[index] += 1
                if now >= begin { count += 1 }
                try send(counts[index] + 1, on: sockets[index])
            }
        }
        for index in sockets.indices {
            while try !receive(on: sockets[index]) {}
            if case .addition = step { try check(sockets[index], has: counts[index] + 1) }
        }
        return Double(count) / (Double(now - begin) / 1e9)
    }

    private func connect(_ node: ServerProcess, number: Int) throws -> LoadSocket {
        switch step {
        case .addition: return try node.connect(as: Self.firstUser + uid_t(number))
        case .scene:
            let socket = try node.connect()
            try socket.call(Self.attach, number: number)
            return socket
        }
    }

    private func send(_ number: Int, on socket: LoadSocket) throws {
        switch step {
        case .addition:
            socket.add(Self.draft, number: number)
            socket.add(Self.add)
        case .scene: socket.add(Self.scenes[number % 2])
        }
        try socket.flush()
    }

    /// Reads once; returns whether the last reply of the step is there.
    ///
    /// Of the two ids of an addition, the last one is even.
    private func receive(on socket: LoadSocket) throws -> Bool {
        var isSaved = false
        try socket.receive { line in
            guard !line.isError else { throw BenchFailure("the server refuses: \(line.text)") }
            guard !line.isNotification, let id = line.id else { return }
            if case .scene = step { isSaved = true } else if id.isMultiple(of: 2) { isSaved = true }
        }
        return isSaved
    }

    private func check(_ socket: LoadSocket, has count: Int) throws {
        let reply = try socket.call(
            #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.read","params":{"id":"sendList","outputs":["items"]}}"#
        )
        let found = reply.components(separatedBy: #""status":"queued""#).count - 1
        guard found == count else { throw BenchFailure("\(count) items were added, and the list has \(found)") }
    }
}
