import Foundation

/// A running server.
struct ServerProcess: MeasuredProcess {
    let dialect: Dialect
    let socket: String
    let identifier: Int32

    /// Opens a connection and sends lines on it, each after the reply to the one before.
    ///
    /// - Parameters:
    ///   - lines: The lines to send.
    ///   - gateway: The gateway to connect through, or nil for a connection to the server's own socket.
    /// - Returns: The connection.
    /// - Throws: ``BenchFailure`` if the connection fails or a line is refused.
    func connect(_ lines: [LineTemplate] = [], through gateway: GatewayProcess? = nil) throws -> LoadSocket {
        let socket = try gateway?.connect() ?? LoadSocket(socket)
        for line in lines { try socket.call(line) }
        return socket
    }

    /// Opens a connection of another user.
    func connect(as user: uid_t) throws -> LoadSocket {
        // The kernel reports the effective uid at the time of the connect to the daemon.
        guard seteuid(user) == 0 else { throw BenchFailure("another user's client needs root") }
        defer { seteuid(0) }
        return try connect()
    }
}

/// Starts a server in a new folder, runs a closure 1.2 s after the first reply, and stops the server.
func withServer<Result>(_ dialect: Dialect, _ body: (ServerProcess) throws -> Result) throws -> Result {
    try withServer(dialect) { server, _ in
        // Let the server finish the work of its start.
        usleep(1_200_000)
        return try body(server)
    }
}

/// Starts a server in a new folder and stops it; returns the nanoseconds from its start to its reply to the first request.
func startTime(of dialect: Dialect, first request: LineTemplate) throws -> UInt64 {
    try withServer(dialect, first: request) { _, time in time }
}

private func withServer<Result>(
    _ dialect: Dialect,
    first request: LineTemplate? = nil,
    _ body: (ServerProcess, UInt64) throws -> Result
) throws -> Result {
    let folder = FileManager.default.temporaryDirectory.path + "/viewmodeld-bench-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let socket = "\(folder)/s/s"
    try FileManager.default.createDirectory(
        atPath: "\(folder)/s",
        withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o755]
    )
    var arguments = dialect.arguments(socket, folder)
    if let configuration = dialect.configuration {
        try configuration.write(toFile: "\(folder)/viewmodeld.yaml", atomically: true, encoding: .utf8)
        arguments += ["--config", "\(folder)/viewmodeld.yaml"]
    }
    let (identifier, start) = try spawn(dialect.program, arguments)
    defer {
        kill(identifier, SIGTERM)
        while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
    }
    let server = ServerProcess(dialect: dialect, socket: socket, identifier: identifier)
    return try body(server, firstReply(of: server, to: request ?? dialect.request) - start)
}

/// Starts a program without input; returns its process id and the start time.
///
/// `Process` would add work to the measured start. What a quiet program prints is discarded.
func spawn(
    _ program: String,
    _ arguments: [String],
    isQuiet: Bool = false
) throws -> (identifier: pid_t, start: UInt64) {
    // The measurements open more connections of one user than the default limits allow.
    let environment = ProcessInfo.processInfo.environment.merging(
        ["VIEWMODELD_LIMITS_CONNECTIONS_PER_USER": "20000", "VIEWMODELD_LIMITS_SESSIONS_PER_USER": "20000"]
    ) { $1 }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    if isQuiet { posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0) }
    // The program must not inherit the descriptors of this process.
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
        if let descriptor = Int32(name), descriptor > STDERR_FILENO {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
    }
    let texts = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { (texts + variables).forEach { free($0) } }
    var identifier = pid_t()
    let start = nanoseconds()
    let status = posix_spawn(&identifier, program, &actions, nil, texts, variables)
    guard status == 0 else { throw BenchFailure("\(program) cannot be started: errno \(status)") }
    return (identifier, start)
}

/// The longest wait for a program that starts, in nanoseconds.
///
/// Under valgrind on a busy machine a start takes half a minute.
let startLimit: UInt64 = 120_000_000_000

/// Connects as soon as the socket exists; returns the time of the first reply.
private func firstReply(of server: ServerProcess, to request: LineTemplate) throws -> UInt64 {
    let end = nanoseconds() + startLimit
    while nanoseconds() < end {
        if access(server.socket, F_OK) == 0, let socket = try? LoadSocket(server.socket) {
            try socket.call(request, number: 1)
            return nanoseconds()
        }
        usleep(100)
    }
    throw BenchFailure("\(server.dialect.name) does not listen")
}
