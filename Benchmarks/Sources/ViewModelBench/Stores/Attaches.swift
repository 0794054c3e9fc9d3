/// The time of `session.attach` to a named session.
enum Attaches {
    private static let living: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"living-{n}"}}"#
    private static let saved: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"saved","linger":0}}"#
    private static let moving: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"moving"}}"#
    /// The number is that of the node.
    private static let leave: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"left-{n}"}}"#
    private static let press: LineTemplate =
        #"{"jsonrpc":"2.0","id":{id},"method":"calculator.press","params":["7"]}"#
    private static let list: LineTemplate = #"{"jsonrpc":"2.0","id":{id},"method":"session.list"}"#

    /// Attaches by turns to two sessions that live on the node, because other clients are attached to them.
    static func toLiving(_ node: ServerProcess, seconds: Double) throws -> Sample {
        let (client, others) = (try node.connect(), [try node.connect(), try node.connect()])
        for (number, other) in others.enumerated() { try other.call(living, number: number) }
        return try withExtendedLifetime(others) {
            try sample(seconds) { number in try client.call(living, number: number % 2) }
        }
    }

    /// Attaches to a session that has ended, so that it is restored from what is saved of it.
    static func toSaved(_ node: ServerProcess, seconds: Double) throws -> Sample {
        let client = try node.connect([saved, press])
        func end() throws {
            try client.call(leave)
            while try client.call(list).contains(#""session":"saved""#) {}
        }
        try end()
        return try sample(seconds) { _ in
            let reply = try client.call(saved)
            guard reply.contains(#""restored":true"#) else { throw BenchFailure("not restored: \(reply)") }
        } after: { _ in
            try client.call(press)
            try end()
        }
    }

    /// Attaches by turns on two nodes to a session that lives on the other one, where its client has left it.
    static func toMoving(_ nodes: [ServerProcess], seconds: Double) throws -> Sample {
        let clients = try nodes.prefix(2).map { try $0.connect() }
        try clients[1].call(moving)
        try clients[1].call(leave, number: 1)
        return try sample(seconds) { number in
            try clients[number % 2].call(moving)
        } after: { number in
            try clients[number % 2].call(leave, number: number % 2)
        }
    }

    private static func sample(
        _ seconds: Double,
        _ attach: (_ number: Int) throws -> Void,
        after: (_ number: Int) throws -> Void = { _ in }
    ) rethrows -> Sample {
        let end = nanoseconds() + UInt64(seconds * 1e9)
        var sample = Sample()
        for number in 0... {
            let start = nanoseconds()
            try attach(number)
            sample.add(latency: nanoseconds() - start)
            try after(number)
            if nanoseconds() >= end { break }
        }
        return sample
    }
}
