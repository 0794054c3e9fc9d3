import Foundation

/// Connections that have said what they want to see, and then say nothing.
struct IdleConnections {
    let count: Int

    struct Cost {
        /// Bytes of private memory that each connection adds.
        let privateBytes: Double
        /// How often the server woke up while nothing happened, and the microseconds that it ran.
        let wakeUps: Int
        let processorMicroseconds: Double
    }

    /// Opens the connections, and looks at the server for some seconds.
    func measure(_ server: ServerProcess, seconds: Int) throws -> Cost {
        // The first ones bring in the code that all of them need.
        var sockets = try open(100, server)
        let before = server.privateBytes
        sockets += try open(count, server)
        let after = server.privateBytes
        // What the last requests left to do is done, and threads that have no more work have ended.
        sleep(8)
        let (sleeps, cpu) = (server.sleeps, server.processorTime)
        sleep(UInt32(seconds))
        let cost = Cost(
            privateBytes: Double(after - before) / Double(count),
            wakeUps: server.sleeps.reduce(0) { $0 + $1.value - (sleeps[$1.key] ?? 0) },
            processorMicroseconds: Double(server.processorTime - cpu) / 1000
        )
        withExtendedLifetime(sockets) {}
        return cost
    }

    private func open(_ count: Int, _ server: ServerProcess) throws -> [LoadSocket] {
        try (0..<count).map { _ in try server.connect(server.dialect.rest) }
    }
}
