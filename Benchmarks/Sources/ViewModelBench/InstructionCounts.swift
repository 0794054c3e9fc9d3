import Foundation

/// How many instructions the daemon executes for one of something, as callgrind counts them: the same on a busy machine as on
/// an idle one, and nearly the same from run to run.
struct InstructionCounts {
    /// The daemon's program.
    let program: String

    /// What is counted.
    enum Path: String, CaseIterable {
        /// A request of an input and its reply, one at a time.
        case request
        /// The same, 64 underway.
        case pipelinedRequest
        /// A change that 20 clients see, for each of them.
        case notification
        /// A change inside of the window on a list of 10,000 rows.
        case windowChange
        /// A look at an output.
        case read

        /// How many of it come with one round.
        fileprivate var share: Int {
            switch self {
            case .pipelinedRequest: 8
            case .notification: 20
            case .request, .windowChange, .read: 1
            }
        }
    }

    /// Counts all paths.
    func measure(_ progress: (String) -> Void) throws -> [Path: Int] {
        // Valgrind does not understand Swift's debugging information.
        let stripped = try StrippedProgram(program, of: ["--strip-debug"])
        defer { stripped.remove() }
        var counts: [Path: Int] = [:]
        for path in Path.allCases {
            progress(path.rawValue)
            // What comes once, such as the start, is in both, but not exactly: its threads race. So many, that it does not show.
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
            // What the daemon does a second after its start is in every count.
            usleep(1_500_000)
            try drive(server, path, count)
        }
        let text = try String(contentsOfFile: file, encoding: .utf8)
        guard let line = text.split(separator: "\n").last(where: { $0.hasPrefix("totals: ") }),
            let total = Int(line.dropFirst("totals: ".count))
        else { throw BenchFailure("callgrind has counted nothing") }
        return total
    }

    /// Has the daemon do something `count` times.
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

    /// Sends 64 requests at once and takes their replies.
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
