import Foundation
import Glibc
import PostgresSupport

@testable import ViewModelPostgres

/// A real pgbouncer before a server.
final class Bouncer: Sendable {
    /// Whether tests with pgbouncer run.
    static var isWanted: Bool { access("/usr/sbin/pgbouncer", X_OK) == 0 || PostgresServer.mustRunAll }

    let settings: ConnectionSettings
    private let shell: Process
    private let input: Pipe

    /// Starts pgbouncer in a pool mode: `session`, `transaction` or `statement`.
    static func start(_ mode: String, to server: PostgresServer) async throws -> Bouncer {
        try await PostgresServer.blocking { try Bouncer(mode, server) }
    }

    private init(_ mode: String, _ server: PostgresServer) throws {
        let directory = "\(server.directory)/\(mode)"
        var settings = try ConnectionSettings(
            url:
                "postgresql://viewmodeld@/postgres?host=\(directory.replacingOccurrences(of: "/", with: "%2F"))&port=6432"
        )
        settings.connectLimit = .seconds(30)
        self.settings = settings
        shell = Process()
        input = Pipe()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = [
            "-c",
            """
            trap '' INT TERM HUP
            mkdir \(directory) && cd \(directory) && cat > bouncer.ini << END
            [databases]
            * = host=\(server.directory) port=\(server.port) user=viewmodeld
            [pgbouncer]
            unix_socket_dir = \(directory)
            listen_port = 6432
            auth_type = any
            pool_mode = \(mode)
            default_pool_size = 20
            END
            \(geteuid() == 0 ? "chown -R postgres: ." : ":")
            \(PostgresServer.prefix) /usr/sbin/pgbouncer -q bouncer.ini > log 2>&1 < /dev/null &
            read -r line; kill $!; wait $!
            """,
        ]
        shell.standardInput = input
        try shell.run()
        let end = ContinuousClock.now + .seconds(60)
        // The socket is there a moment before pgbouncer listens on it.
        while try !PostgresServer.isReady(directory, port: 6432) {
            guard ContinuousClock.now < end else { throw PostgresServer.Failure(what: "pgbouncer: \(directory)/log") }
            usleep(5000)
        }
    }

    deinit {
        try? input.fileHandleForWriting.close()
    }
}
