/// A load of requests and replies in closed loops: each reply triggers the next request.
struct RoundTrips {
    let connections: Int
    /// The number of outstanding requests per connection.
    let outstanding: Int

    /// Measures for a number of seconds, of which the first tenth is warm-up.
    ///
    /// The measurement fails unless the replies arrive in the order of their requests, each with a later step than the
    /// one before, and the server has the last value in the end.
    ///
    /// - Parameters:
    ///   - server: The server.
    ///   - gateway: The gateway that relays the requests, or nil for none. Its CPU time counts with the server's.
    ///   - seconds: The length of the measurement.
    /// - Returns: The CPU time and the latencies of the requests.
    /// - Throws: ``BenchFailure`` if a check fails.
    func measure(_ server: ServerProcess, through gateway: GatewayProcess? = nil, seconds: Double) throws -> Sample {
        let sockets = try (0..<connections).map { _ in try server.connect(through: gateway) }
        func processorTime() -> UInt64 { server.processorTime + (gateway?.processorTime ?? 0) }
        var streams = sockets.map { Stream(socket: $0, line: server.dialect.request) }
        let poller = Poller(sockets)
        var sample = Sample()
        // The first tenth is warm-up.
        let begin = nanoseconds() + UInt64(seconds * 1e8)
        let end = begin + UInt64(seconds * 9e8)
        var isMeasuring = false
        var cpu: UInt64 = 0
        var now = nanoseconds()
        for index in streams.indices {
            try streams[index].send(outstanding, at: now)
        }
        while now < end || sample.operations == 0 {
            if !isMeasuring, now >= begin {
                isMeasuring = true
                cpu = processorTime()
            }
            try poller.wait { index in
                let received = try streams[index].receive { latency in
                    if isMeasuring {
                        sample.add(latency: latency)
                        sample.operations += 1
                    }
                }
                now = nanoseconds()
                try streams[index].send(received, at: now)
            }
        }
        sample.processorTime = processorTime() - cpu
        sample.duration = now - begin
        for index in streams.indices { try streams[index].drain() }
        if server.dialect.keepsValues {
            for stream in streams { try stream.checkLastValue() }
        }
        return sample
    }

    /// The requests of one connection.
    private struct Stream {
        let socket: LoadSocket
        let line: LineTemplate
        /// The send times of all requests.
        ///
        /// The request with the id n is at index n - 1.
        private var sent: [UInt64] = []
        private var answered = 0
        private var step = 0

        init(socket: LoadSocket, line: LineTemplate) {
            self.socket = socket
            self.line = line
        }

        mutating func send(_ count: Int, at time: UInt64) throws {
            guard count > 0 else { return }
            for _ in 0..<count {
                sent.append(time)
                socket.add(line, number: sent.count)
            }
            try socket.flush()
        }

        /// Reads once; returns the number of replies.
        mutating func receive(_ latency: (UInt64) -> Void) throws -> Int {
            let before = answered
            try socket.receive { line in
                let now = nanoseconds()
                guard line.id == answered + 1, !line.isError else {
                    throw BenchFailure("not the reply of request \(answered + 1): \(line.text)")
                }
                if let sequence = line.number(after: #""seq":"#) {
                    guard sequence > step else { throw BenchFailure("a step out of order: \(line.text)") }
                    step = sequence
                }
                latency(now - sent[answered])
                answered += 1
            }
            return answered - before
        }

        mutating func drain() throws {
            while answered < sent.count { _ = try receive { _ in } }
        }

        func checkLastValue() throws {
            let reply = try socket.call(Dialect.read)
            guard reply.contains(#""value":\#(sent.count)}"#) else {
                throw BenchFailure("what was written last (\(sent.count)) is not what is read: \(reply)")
            }
        }
    }
}
