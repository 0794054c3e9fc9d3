import Dispatch
import Foundation
import Glibc
import Synchronization

package import ViewModelPostgres

/// A real PostgreSQL server of the tests, in a directory of its own and on a Unix socket.
///
/// A shell is its parent. It ends the server and removes the directory when the process of the tests ends, however it ends.
package final class PostgresServer: Sendable {
    package struct Failure: Error {
        package let what: String

        package init(what: String) {
            self.what = what
        }
    }

    /// The directory of Debian's programs; nil if PostgreSQL 15 is not installed.
    package static let programs: String? = {
        let directory = ProcessInfo.processInfo.environment["POSTGRES_PROGRAMS"] ?? "/usr/lib/postgresql/15/bin"
        return access("\(directory)/initdb", X_OK) == 0 ? directory : nil
    }()

    /// Whether tests with a server run.
    ///
    /// With `REQUIRE_ALL=1` they run, and fail, without PostgreSQL.
    package static var isWanted: Bool { programs != nil || mustRunAll }

    package static var mustRunAll: Bool {
        !["", "0"].contains(ProcessInfo.processInfo.environment["REQUIRE_ALL"] ?? "")
    }

    /// The start of a command that runs as another user than root, which PostgreSQL refuses.
    package static var prefix: String {
        geteuid() == 0 ? "setpriv --reuid=postgres --regid=postgres --clear-groups --" : ""
    }

    /// All servers, which live as long as the process.
    ///
    /// A test must not lose its server after the last mention of it.
    private static let all = Mutex<[PostgresServer]>([])
    private static let common = Task { try await start() }

    /// The server that most tests share.
    ///
    /// Each uses a schema of its own.
    package static func shared() async throws -> PostgresServer {
        try await common.value
    }

    /// Creates the files of a server, and starts it.
    ///
    /// - Parameters:
    ///   - settings: lines of `postgresql.conf`.
    ///   - access: lines that precede the others in `pg_hba.conf`.
    ///   - files: further files of the data directory.
    ///   - port: the port.
    /// - Returns: the server, which accepts connections.
    /// - Throws: `Failure` with the log of the server.
    package static func start(
        settings: [String] = [],
        access: [String] = [],
        files: [String: String] = [:],
        port: Int = 5432
    ) async throws -> PostgresServer {
        try await blocking { try PostgresServer(settings, access, files, port) }
    }

    /// Runs what blocks on a thread of its own.
    ///
    /// Swift's pool has few threads, and other tests need them.
    package static func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
    {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "test").async { continuation.resume(with: Result { try body() }) }
        }
    }

    /// The directory of the server's files and of its socket.
    package let directory: String
    /// The port, which is only a part of the socket's name unless the server listens on TCP.
    package let port: Int
    private let shell: Process
    private let commands: Pipe

    private init(_ settings: [String], _ access: [String], _ files: [String: String], _ port: Int) throws {
        guard let programs = Self.programs else { throw Failure(what: "PostgreSQL 15 is not installed") }
        self.port = port
        directory = "\(FileManager.default.temporaryDirectory.path)/pg-\(UUID().uuidString.prefix(8))"
        let prefix = Self.prefix
        let owner = geteuid() == 0 ? "chown -R postgres: \(directory)" : ":"
        let all = [
            "listen_addresses = ''", "fsync = off", "shared_buffers = 8MB", "max_connections = 300",
            "unix_socket_directories = '\(directory)'", "port = \(port)",
        ]
        let setup = """
            mkdir -m 700 \(directory); \(owner)
            cd \(directory)
            \(prefix) \(programs)/initdb -D data -U viewmodeld -A trust -E UTF8 --no-sync --no-instructions > log 2>&1
            """
        guard try Self.run("/bin/sh", ["-ec", setup]) else { throw Failure(what: "initdb failed: \(directory)/log") }
        let data = "\(directory)/data"
        var texts = files
        for (name, before, after) in [("postgresql.conf", [], all + settings), ("pg_hba.conf", access, [])] {
            let text = try String(contentsOfFile: "\(data)/\(name)", encoding: .utf8)
            texts[name] = (before + [text] + after).joined(separator: "\n") + "\n"
        }
        for (name, text) in texts { try Data(text.utf8).write(to: URL(fileURLWithPath: "\(data)/\(name)")) }
        shell = Process()
        commands = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c",
            """
            trap '' INT TERM HUP
            cd \(directory); \(owner); chmod 600 data/*.key 2>/dev/null
            start() { \(prefix) \(programs)/postgres -D data >> log 2>&1 < /dev/null & server=$!; }
            start
            while read -r command; do
                case $command in
                start) start;;
                *) kill -$command $server; wait $server;;
                esac
            done
            kill -QUIT $server; wait $server; cd /; rm -rf \(directory)
            """,
        ]
        shell.standardInput = commands
        try shell.run()
        try waitUntilReady()
        Self.all.withLock { $0.append(self) }
    }

    /// Ends the server: `INT` ends its connections, `QUIT` is like a crash.
    package func stop(_ signal: String = "INT") async throws {
        try commands.fileHandleForWriting.write(contentsOf: Data("\(signal)\n".utf8))
        try await Self.blocking { while access("\(self.directory)/.s.PGSQL.\(self.port)", F_OK) == 0 { usleep(2000) } }
    }

    package func start() async throws {
        try commands.fileHandleForWriting.write(contentsOf: Data("start\n".utf8))
        try await Self.blocking { try self.waitUntilReady() }
    }

    private func waitUntilReady() throws {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            if try Self.isReady(directory, port: port) { return }
            usleep(5000)
        }
        throw Failure(what: (try? String(contentsOfFile: "\(directory)/log", encoding: .utf8)) ?? "no log")
    }

    /// Returns whether a server, or a pooler before it, accepts connections on the socket in a directory.
    package static func isReady(_ directory: String, port: Int) throws -> Bool {
        let arguments = ["-q", "-h", directory, "-p", "\(port)", "-U", "viewmodeld", "-d", "postgres"]
        return try run("\(programs ?? "")/pg_isready", arguments)
    }

    /// Runs a program, and returns whether it succeeds.
    private static func run(_ program: String, _ arguments: [String]) throws -> Bool {
        let process = try Process.run(URL(fileURLWithPath: program), arguments: arguments)
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    /// Returns settings for a schema of their own, with time limits that a busy machine does not exceed.
    package func settings(
        _ parameters: String = "",
        user: String = "viewmodeld",
        port: Int? = nil
    ) throws -> ConnectionSettings {
        let path = directory.replacingOccurrences(of: "/", with: "%2F")
        var settings = try ConnectionSettings(
            url: "postgresql://\(user)@/postgres?host=\(path)&port=\(port ?? self.port)\(parameters)"
        )
        settings.schema = "test_\(UUID().uuidString.prefix(8).lowercased())"
        (settings.connectLimit, settings.statementLimit) = (.seconds(30), .seconds(60))
        settings.transactionLimit = .seconds(60)
        return settings
    }

    /// Creates a database; returns its URL.
    package func createDatabase() async throws -> String {
        let name = "test_\(UUID().uuidString.prefix(8).lowercased())"
        let arguments = ["-h", directory, "-p", "\(port)", "-U", "viewmodeld", name]
        guard try await Self.blocking({ try Self.run("\(Self.programs ?? "")/createdb", arguments) }) else {
            throw Failure(what: "createdb failed")
        }
        return "postgresql://viewmodeld@/\(name)?host=\(directory)&port=\(port)"
    }
}
