import Foundation

/// A measurement of the instructions that the daemon executes per operation, by callgrind.
///
/// The counts are the same on a busy machine and on an idle one, and nearly the same in each run.
struct InstructionCounts {
    /// The path of the daemon's program.
    let program: String

    /// A measured code path of the daemon.
    enum Path: String, CaseIterable {
        /// A request of an input and its reply, one at a time.
        case request
        /// The same request, with 64 outstanding.
        case pipelinedRequest
        /// A change with 20 subscribers, counted per subscriber.
        case notification
        /// A change inside the window of a list of 10,000 rows.
        case windowChange
        /// A `viewModel.read` of one output.
        case read

        /// The number of operations for each unit of `count` in `drive`.
        fileprivate var share: Int {
            switch self {
            case .pipelinedRequest: 8
            case .notification: 20
            case .request, .windowChange, .read: 1
            }
        }
    }

    /// Measures all paths; returns the instructions per operation.
    func measure(_ progress: (String) -> Void) throws -> [Path: Int] {
        // Valgrind cannot read Swift's debug information.
        let stripped = try StrippedProgram(program, of: ["--strip-debug"])
        defer { stripped.remove() }
        var counts: [Path: Int] = [:]
        for path in Path.allCases {
            progress(path.rawValue)
            // The difference of two runs removes one-time work, such as the start. That work varies a little because
            // threads race. The large number of operations makes the variation negligible.
            let (few, many) = (400, 6400)
            let difference = try total(path, many, stripped.path) - total(path, few, stripped.path)
            counts[path] = difference / (many - few) / path.share
        }
        return counts
    }

    private func total(_ path: Path, _ count: Int, _ program: String) throws -> Int {
        let file = FileManager.default.temporaryDirectory.path + "/callgrind-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: file) }
        setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
        try withServer(.counted(program, into: file)) { server in
            // Let the daemon finish the work of its start, so that each run counts all of it.
            usleep(1_500_000)
            try drive(server, path, count)
        }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("totals: ") }),
            let total = Int(line.dropFirst("totals: ".count))
        else { throw BenchFailure("callgrind has counted nothing") }
        return total
    }

    /// Sends the requests of a path to the daemon, `count` units of them.
    private func drive(_ server: ServerProcess, _ path: Path, _ count: Int) throws {
        switch path {
        case .request:
            let socket = try server.connect()
            for number in 1...count { try socket.call(server.dialect.request, number: number) }
        case .pipelinedRequest:
            let socket = try server.connect()
            for round in 0..<(count / 8) { try pipeline(socket, server.dialect.request, from: 64 * round) }
        case .notification:
            _ = try FanOut(subscribers: 20).measure(server, .changes(count))
        case .windowChange:
            _ = try Lists(rows: 10_000, window: 20, change: Lists.update).measure(server, changes: count)
        case .read:
            let socket = try server.connect()
            for _ in 0..<count { try socket.call(Dialect.read) }
        }
    }

    /// Sends 64 requests at once and reads their replies.
    private func pipeline(_ socket: LoadSocket, _ line: LineTemplate, from number: Int) throws {
        for offset in 1...64 { socket.add(line, number: number + offset) }
        try socket.flush()
        var missing = 64
        while missing > 0 {
            try socket.receive { line in
                guard !line.isError else { throw BenchFailure("the server refuses: \(line.text)") }
                missing -= 1
            }
        }
    }
}
