import Foundation

/// A database for the daemons of a farm.
struct SharedDatabase {
    let url: String
    /// The file with the key of the vault, which all daemons share.
    let vaultKey: String
}

/// A PostgreSQL server of the benchmark, on a Unix socket in a new folder.
final class PostgresProcess {
    private static let programs = "/usr/lib/postgresql/15/bin"

    private let folder: String
    private var identifier: pid_t = 0
    private var databases = 0

    /// Creates the server's files and starts it, with the settings of a new installation.
    ///
    /// - Throws: ``BenchFailure`` if PostgreSQL is not installed or does not start.
    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/viewmodeld-bench-\(UUID().uuidString.prefix(8))"
        guard access("\(Self.programs)/initdb", X_OK) == 0 else {
            throw BenchFailure("\(Self.programs)/initdb is missing: apt-get install postgresql-15")
        }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        do {
            // PostgreSQL refuses to run as root.
            guard let user = getpwnam("postgres"), chown(folder, user.pointee.pw_uid, user.pointee.pw_gid) == 0 else {
                throw BenchFailure("no user postgres: apt-get install postgresql-15")
            }
            try run("initdb", ["-D", "\(folder)/data", "-U", "viewmodeld", "-A", "trust", "-E", "UTF8"])
            (identifier, _) = try spawn(
                "/usr/bin/setpriv",
                Self.asPostgres + [
                    "\(Self.programs)/postgres", "-D", "\(folder)/data", "-k", folder, "-c", "listen_addresses=",
                    "-c", "log_destination=syslog",
                ]
            )
            try run("pg_isready", ["-q", "-h", folder], attempts: 300)
        } catch {
            remove()
            throw error
        }
    }

    /// Creates an empty database.
    func createDatabase() throws -> SharedDatabase {
        databases += 1
        let name = "bench\(databases)"
        try run("createdb", ["-h", folder, "-U", "viewmodeld", name])
        let key = "\(folder)/\(name).key"
        let contents = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) }).base64EncodedData()
        guard FileManager.default.createFile(atPath: key, contents: contents, attributes: [.posixPermissions: 0o600])
        else { throw BenchFailure("\(key) cannot be written") }
        return SharedDatabase(url: "postgresql://viewmodeld@/\(name)?host=\(folder)", vaultKey: key)
    }

    /// Stops the server and removes its files.
    func remove() {
        if identifier > 0 {
            // The fast shutdown.
            kill(identifier, SIGINT)
            while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    private static let asPostgres = ["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]

    /// Runs a program of PostgreSQL until it succeeds, ten times a second.
    private func run(_ program: String, _ arguments: [String], attempts: Int = 1) throws {
        for _ in 1...attempts {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments = Self.asPostgres + ["\(Self.programs)/\(program)"] + arguments
            process.currentDirectoryURL = URL(fileURLWithPath: "/")
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            if process.terminationStatus == 0 { return }
            if attempts > 1 { usleep(100_000) }
        }
        throw BenchFailure("\(program) of PostgreSQL failed")
    }
}
