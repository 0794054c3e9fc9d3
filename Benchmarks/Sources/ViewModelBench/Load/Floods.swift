import Foundation
import Synchronization

/// A load of one client that sends a method as fast as it is answered, and of a second client beside it.
struct Floods {
    /// Another user of this machine, whom the daemon admits.
    ///
    /// A connection as that user requires root.
    static let stranger = (name: "daemon", uid: uid_t(1))

    /// The requests of the flooding client.
    ///
    /// Each one floods for a while.
    static let lines = [
        #"{"jsonrpc":"2.0","id":{id},"method":"rpc.discover"}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"session.list"}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"flood","linger":0}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"session.attach","params":{"session":"flood-{n}","linger":0}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"session.close","params":{"session":"flood"}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"$/cancelRequest","params":{"id":1}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.list"}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.read","params":{"id":"lab"}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.bind","params":{"id":"lab"}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.unbind","params":{"id":"lab"}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.open","params":{"type":"calculator","id":"c{n}"}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.close","params":{"id":"c{n}"}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"coordinator.open","params":{"scene":"mine"}}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"coordinator.back"}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"lab.set","params":[{n}]}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"keypad.press","params":["7"]}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"calculator.undo"}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"login.submit"}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"viewModel.unknown-{n}"}"#,
        #"{"jsonrpc":"2.0","id":{id},"method":"nothing.at.all.of.this.name.is.there.{n}"}"#,
    ]

    /// The number of outstanding requests of the flood.
    private static let outstanding = 64

    let seconds: Double

    /// Measures the 99th percentile of a client's latency beside each flood; returns the highest, in milliseconds.
    ///
    /// - Parameters:
    ///   - server: The daemon.
    ///   - user: The uid of the client beside the flood, or nil for the user of this process.
    ///   - progress: Receives the request that caused the highest latency.
    /// - Returns: The highest 99th percentile in milliseconds.
    /// - Throws: ``BenchFailure`` if a server refuses a request or the user cannot be changed.
    func measure(_ server: ServerProcess, user: uid_t?, _ progress: (String) -> Void) throws -> Double {
        let client = try connect(server, as: user)
        var worst = (milliseconds: 0.0, line: "")
        for line in Self.lines {
            let time = try percentile99(of: client, on: server, beside: LineTemplate(stringLiteral: line))
            if time > worst.milliseconds { worst = (time, line) }
        }
        progress(String(format: "%.1f ms beside ", worst.milliseconds) + worst.line)
        return worst.milliseconds
    }

    private func connect(_ server: ServerProcess, as user: uid_t?) throws -> LoadSocket {
        guard let user else { return try server.connect() }
        // The kernel reports the effective uid at the time of the connect to the daemon.
        guard seteuid(user) == 0 else { throw BenchFailure("another user's client needs root") }
        defer { seteuid(0) }
        return try server.connect()
    }

    private func percentile99(
        of client: LoadSocket,
        on server: ServerProcess,
        beside line: LineTemplate
    ) throws -> Double {
        let flood = Flood(of: line, on: server)
        var sample = Sample()
        let end = nanoseconds() + UInt64(seconds * 1e9)
        var number = 0
        while nanoseconds() < end {
            number += 1
            let start = nanoseconds()
            try client.call(server.dialect.request, number: number)
            sample.add(latency: nanoseconds() - start)
            usleep(500)
        }
        try flood.end()
        return sample.microseconds(quantile: 0.99) / 1000
    }

    /// A thread that sends a request and reads the replies until it is stopped.
    private final class Flood: Sendable {
        private let isOver = Atomic(false)
        private let failure = Mutex<(any Error)?>(nil)
        private let ended = DispatchSemaphore(value: 0)

        init(of line: LineTemplate, on server: ServerProcess) {
            Thread.detachNewThread {
                do {
                    try self.run(line, server)
                } catch {
                    self.failure.withLock { $0 = error }
                }
                self.ended.signal()
            }
        }

        private func run(_ line: LineTemplate, _ server: ServerProcess) throws {
            let socket = try server.connect()
            var number = 0
            while !isOver.load(ordering: .relaxed) {
                for _ in 0..<Floods.outstanding {
                    number += 1
                    socket.add(line, number: number)
                }
                try socket.flush()
                var missing = Floods.outstanding
                while missing > 0 {
                    // An error reply counts as a reply.
                    try socket.receive { if !$0.isNotification { missing -= 1 } }
                }
            }
        }

        func end() throws {
            isOver.store(true, ordering: .relaxed)
            ended.wait()
            if let error = failure.withLock({ $0 }) { throw error }
        }
    }
}
