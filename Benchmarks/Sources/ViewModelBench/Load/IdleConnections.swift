import Foundation

/// A load of connections that have bound an instance and then stay silent.
struct IdleConnections {
    let count: Int

    struct Cost {
        /// The private memory that each connection adds, in bytes.
        let privateBytes: Double
        /// The server's wake-ups and CPU time in microseconds while all connections are idle.
        let wakeUps: Int
        let processorMicroseconds: Double
    }

    /// Opens the connections and measures the idle server for some seconds.
    func measure(_ server: ServerProcess, seconds: Int) throws -> Cost {
        // The first connections load code that all connections share.
        var sockets = try open(100, server)
        let before = server.privateBytes
        sockets += try open(count, server)
        let after = server.privateBytes
        // Let the server finish the work of the last requests and end its surplus threads.
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
