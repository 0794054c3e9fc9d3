import Foundation

/// A running server, and what it costs.
struct ServerProcess: Sendable {
    let dialect: Dialect
    let socket: String
    let identifier: Int32

    /// User and system time of all its threads so far, in nanoseconds.
    var processorTime: UInt64 {
        var clock = clockid_t()
        var time = timespec()
        guard clock_getcpuclockid(identifier, &clock) == 0, clock_gettime(clock, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Bytes of memory that it shares with no other process.
    var privateBytes: Int { memory("Private_Clean") + memory("Private_Dirty") }

    /// Bytes of memory that it holds, what it shares with others included.
    var residentBytes: Int { memory("Rss") }

    private func memory(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(identifier)/smaps_rollup", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) << 10
    }

    /// How often each of its threads has gone to sleep, and so how often it was woken up.
    var sleeps: [String: Int] {
        let tasks = "/proc/\(identifier)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.reduce(into: [:]) { sleeps, thread in
            let text = (try? String(contentsOfFile: "\(tasks)/\(thread)/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches:") }
            sleeps[thread] = line?.split(separator: "\t").last.flatMap { Int($0) }
        }
    }

    /// Opens a connection and brings it to where the lines leave it.
    func connect(_ lines: [LineTemplate] = []) throws -> LoadSocket {
        let socket = try LoadSocket(socket)
        for line in lines { try socket.call(line) }
        return socket
    }
}

/// Starts a server in a new folder, runs `body` when it has come to rest after its first reply, then ends it.
///
/// - Parameter body: gets the server, and the nanoseconds from its start to its first reply.
func withServer(_ dialect: Dialect, _ body: (_ server: ServerProcess, _ start: UInt64) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/viewmodeld-bench-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let socket = "\(folder)/s/s"
    try FileManager.default.createDirectory(
        atPath: "\(folder)/s",
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700]
    )
    let process = Process()
    process.executableURL = URL(fileURLWithPath: dialect.program)
    process.arguments = dialect.arguments(socket, folder)
    process.standardInput = FileHandle.nullDevice
    // More connections of one user than are allowed by default.
    process.environment = ProcessInfo.processInfo.environment.merging(
        ["VIEWMODELD_LIMITS_CONNECTIONS_PER_USER": "20000", "VIEWMODELD_LIMITS_SESSIONS_PER_USER": "20000"]
    ) { $1 }
    let start = nanoseconds()
    try process.run()
    defer {
        process.terminate()
        process.waitUntilExit()
    }
    let server = ServerProcess(dialect: dialect, socket: socket, identifier: process.processIdentifier)
    let time = try firstReply(of: server) - start
    // Until what only the start needed has been given back.
    usleep(1_200_000)
    try body(server, time)
}

/// Connects as soon as it can be done; gives the time of the first reply.
private func firstReply(of server: ServerProcess) throws -> UInt64 {
    let end = nanoseconds() + 20_000_000_000
    while nanoseconds() < end {
        if let socket = try? LoadSocket(server.socket) {
            try socket.call(server.dialect.request, number: 1)
            return nanoseconds()
        }
        usleep(100)
    }
    throw BenchFailure("\(server.dialect.name) does not listen")
}
