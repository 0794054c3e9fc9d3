import Foundation
import Logging
import PostgresSupport
import TestSupport
import Testing
import ViewModelStorage
import ViewModelTesting

@testable import ViewModelPostgres

/// TLS and passwords.
@Suite(.postgres) struct TrustTests {
    /// Makes an authority and a server's certificate for `localhost`.
    private func certificates() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        let openssl = Process()
        openssl.executableURL = URL(fileURLWithPath: "/bin/sh")
        openssl.currentDirectoryURL = URL(fileURLWithPath: directory.path)
        openssl.arguments = [
            "-ec",
            """
            exec > log 2>&1
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout ca.key -out ca.crt -days 2 -subj /CN=ca
            openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout server.key -out server.csr -subj /CN=localhost
            echo subjectAltName=DNS:localhost > names
            openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -CAcreateserial -out server.crt -days 2 -extfile names
            """,
        ]
        try openssl.run()
        openssl.waitUntilExit()
        guard openssl.terminationStatus == 0 else { throw PostgresServer.Failure(what: "\(directory.path)/log") }
        return directory
    }

    /// Returns a pool to prepare a server, which may take long on a busy machine.
    private func admin(of server: PostgresServer) throws -> ConnectionPool {
        var settings = try server.settings()
        (settings.connectLimit, settings.statementLimit) = (.seconds(60), .seconds(60))
        settings.transactionLimit = .seconds(60)
        return ConnectionPool(settings, logger: Logger(label: "test"))
    }

    @Test func `the server's name, its certificate and the password are checked`() async throws {
        let (own, foreign) = (try certificates(), try certificates())
        func text(_ name: String) throws -> String { String(decoding: try own.bytes(name), as: UTF8.self) }
        let server = try await PostgresServer.start(
            settings: ["listen_addresses = '127.0.0.1'", "ssl = on"],
            access: ["hostssl all tls 127.0.0.1/32 scram-sha-256", "hostnossl all all 127.0.0.1/32 reject"],
            files: ["server.crt": try text("server.crt"), "server.key": try text("server.key")],
            port: Int.random(in: 20_000...30_000)
        )
        let admin = try self.admin(of: server)
        try await admin.rows("CREATE ROLE tls LOGIN PASSWORD 'hunter2'")
        try own.write(Array("hunter2\n".utf8), to: "password")
        try own.write(Array("hunter3\n".utf8), to: "wrong-password")
        func open(_ host: String, _ authority: TemporaryDirectory, _ password: String?, _ mode: String = "verify-full")
            throws
        {
            let url = """
                postgresql://tls@\(host):\(server.port)/postgres?hostaddr=127.0.0.1&sslmode=\(mode)&sslrootcert=\
                \(authority.path)/ca.crt
                """
            let source = PasswordSource(file: password.map { "\(own.path)/\($0)" })
            var settings = try ConnectionSettings(url: url, password: source)
            // A busy machine may need more time for TLS than the standard limit allows.
            settings.connectLimit = .seconds(30)
            _ = try PostgresConnection.open(settings)
        }
        try open("localhost", own, "password")
        for (host, authority, password, mode) in [
            ("db.example.org", own, "password", "verify-full"), ("localhost", foreign, "password", "verify-full"),
            ("localhost", own, "wrong-password", "verify-full"), ("localhost", own, nil, "verify-full"),
            ("localhost", own, "password", "disable"),
        ] {
            let error = #expect(throws: StoreError.self, "\(host) \(mode)") {
                try open(host, authority, password, mode)
            }
            #expect(error?.kind == .misconfigured, "\(error?.description ?? "")")
            #expect(error?.description.contains("hunter") == false)
        }
        // Without the check of the name the same server is accepted.
        try open("db.example.org", own, "password", "verify-ca")
        // A replaced password is used by the next connection.
        try await admin.rows("ALTER ROLE tls PASSWORD 'hunter3'")
        try own.write(Array("hunter3\n".utf8), to: "password")
        try open("localhost", own, "password")
    }

    @Test func `the log says who else may connect, and whether others can read the connection`() async throws {
        let server = try await PostgresServer.shared()
        let admin = try admin(of: server)
        try await admin.rows("CREATE DATABASE trusted")
        func warnings(_ url: String) async throws -> [String] {
            let log = LogRecorder(from: .warning)
            var settings = try ConnectionSettings(url: url)
            settings.connectLimit = .seconds(30)
            let pool = ConnectionPool(settings, logger: log.logger)
            try await DatabaseTrust.check(pool, logger: log.logger)
            await pool.close()
            return log.entries.compactMap { $0.metadata["remedy"] }
        }
        let url = "postgresql://viewmodeld@/trusted?host=\(server.directory.replacingOccurrences(of: "/", with: "%2F"))"
        #expect(try await warnings(url) == [#"REVOKE CONNECT ON DATABASE "trusted" FROM PUBLIC"#])
        try await admin.rows("REVOKE CONNECT ON DATABASE trusted FROM PUBLIC")
        #expect(try await warnings(url).isEmpty)
        await admin.close()
    }

    @Test func `the second server of a URL is used if the first one only reads or is away`() async throws {
        let server = try await PostgresServer.start()
        let admin = try self.admin(of: server)
        try await admin.rows("CREATE DATABASE replica")
        // What a replica reports.
        try await admin.rows("ALTER DATABASE replica SET default_transaction_read_only = on")
        await admin.close()
        let host = server.directory.replacingOccurrences(of: "/", with: "%2F")
        let readOnly = try ConnectionSettings(url: "postgresql://viewmodeld@/replica?host=\(host)")
        let error = #expect(throws: StoreError.self) { try PostgresConnection.open(readOnly) }
        #expect(error?.kind == .unavailable)
        let url = "postgresql://viewmodeld@/postgres?host=%2Fnonexistent,\(host)&port=1,\(server.port)"
        let connection = try PostgresConnection.open(try ConnectionSettings(url: url))
        try connection.queue("SELECT 1", [])
        #expect(try connection.collect(until: Deadline(after: .seconds(10))).count == 1)
    }
}
