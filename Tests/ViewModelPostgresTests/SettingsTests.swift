import Testing
import ViewModelStorage
import TestSupport

@testable import ViewModelPostgres

struct SettingsTests {
    @Test func `a URL names the servers, the user, the database and parameters`() throws {
        let settings = try ConnectionSettings(
            url: "postgresql://vm@db1:5433,db2:5434/farm?sslmode=verify-full&sslrootcert=/etc/ca.crt"
        )
        #expect(settings.servers.map(\.host) == ["db1", "db2"])
        #expect(settings.servers.map(\.port) == ["5433", "5434"])
        #expect(settings.label == "The database farm at db1:5433,db2:5434 (user vm)")
        let parameters = settings.parameters(for: settings.servers[1], password: "secret")
        let values = Dictionary(parameters, uniquingKeysWith: { first, _ in first })
        #expect(values["host"] == "db2")
        #expect(values["port"] == "5434")
        #expect(values["sslmode"] == "verify-full")
        #expect(values["target_session_attrs"] == "read-write")
        #expect(values["password"] == "secret")
        let escaped = try ConnectionSettings(url: "postgresql://v%40m@db/fa%2Frm")
        #expect(escaped.label == "The database fa/rm at db (user v@m)")
    }

    /// Each URL with whether the connection is private, and the default of `channel_binding` with a password.
    @Test(
        arguments: [
            ("postgresql://vm@/farm?host=/run/postgresql", true, nil), ("postgresql://vm@localhost/farm", true, nil),
            ("postgresql://vm@127.0.0.1/farm", true, nil), ("postgresql://vm@db/farm?hostaddr=::1", true, nil),
            ("postgresql://vm@db/farm", false, nil), ("postgresql://vm@localhost,db/farm", false, nil),
            ("postgresql://vm@db/farm?hostaddr=10.0.0.1", false, nil),
            ("postgresql://vm@db/farm?sslmode=prefer", false, nil),
            ("postgresql://vm@db/farm?sslmode=require", true, "require"),
            ("postgresql://vm@db/farm?sslmode=verify-full", true, "require"),
            ("postgresql://vm@db/farm?sslmode=require&channel_binding=prefer", true, "prefer"),
        ] as [(String, Bool, String?)]
    )
    func `a URL decides who can read the connection, and what a server must prove`(
        url: String,
        isPrivate: Bool,
        expected: String?
    ) throws {
        let settings = try ConnectionSettings(url: url)
        #expect(settings.isPrivate == isPrivate)
        func binding(_ password: String?) -> String? {
            settings.parameters(for: settings.servers[0], password: password).first { $0.0 == "channel_binding" }?.1
        }
        #expect(binding("secret") == expected)
        // Without a password there is nothing to bind.
        #expect(binding(nil) == settings.parameters["channel_binding"])
    }

    @Test(arguments: [
        ("", "is no URL"), ("host=db user=vm", "is no URL"), ("mysql://vm@db/farm", "is no URL"),
        ("postgresql://vm:hunter2@db/farm", "store.passwordFile"),
        ("postgresql://vm:p@hunter2@db/farm", "store.passwordFile"),
        ("postgresql://vm:hunter2%40@db/farm", "store.passwordFile"),
        ("postgresql://vm:hunter2%@db/farm", "cannot be parsed"),
        ("postgresql://vm@db/farm?password=hunter2", "store.passwordFile"),
        ("postgresql://vm@db/farm?sslpassword=hunter2", "store.passwordFile"),
        ("postgresql://vm@db/farm?passfile=/hunter2", "passfile"),
        ("postgresql://vm@db/farm?hunter2", "cannot be parsed"),
        ("postgresql://vm:hunter2@db/farm?nothing=1", "cannot be parsed"), ("postgresql://db/farm", "names no user"),
        ("postgresql://vm@db", "no database"), ("postgresql://vm@db/farm?replication=true", "replication"),
        ("postgresql://vm@a,b,c/farm?port=1,2", "another number of hosts"),
    ])
    func `a wrong URL is refused with its fault and without its secrets`(url: String, fault: String) throws {
        let error = #expect(throws: StoreError.self) { try ConnectionSettings(url: url) }
        #expect(error?.kind == .misconfigured)
        #expect(error?.description.contains(fault) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("hunter2") == false)
    }

    @Test func `a password is the first line of a private file`() throws {
        let directory = try TemporaryDirectory()
        func read(_ text: String, mode: UInt32 = 0o600) throws -> String? {
            try directory.write(Array(text.utf8), to: "password", mode: mode)
            return try PasswordSource(file: "\(directory.path)/password").read()
        }
        #expect(try read("hunter2\nsecond line\n") == "hunter2")
        #expect(try read("no line feed", mode: 0o400) == "no line feed")
        let longest = String(repeating: "x", count: 4096)
        #expect(try read(longest + "\n") == longest)
        for (text, mode) in [
            ("", 0o600), ("\n", 0o600), ("a\0b", 0o600), (longest + "x", 0o600), ("hunter2\n", 0o640),
            ("hunter2\n", 0o604),
        ] {
            let error = #expect(throws: StoreError.self) { try read(text, mode: UInt32(mode)) }
            #expect(error?.kind == .misconfigured)
            #expect(error?.description.contains("hunter2") == false)
            #expect(error?.description.contains("store.passwordFile") == true)
        }
        let missing = #expect(throws: StoreError.self) { try PasswordSource(file: "/nonexistent/file").read() }
        #expect(missing?.description.contains("/nonexistent/file") == true)
    }

    @Test func `a systemd credential is the password, unless a file is configured`() throws {
        let directory = try TemporaryDirectory()
        // systemd shows the access list of a credential as rights of the group.
        try directory.write(Array("from systemd\n".utf8), to: "tallyd.store-password", mode: 0o440)
        try directory.write(Array("from a file\n".utf8), to: "file")
        #expect(try PasswordSource(credentialsDirectory: directory.path, program: "tallyd").read() == "from systemd")
        let file = "\(directory.path)/file"
        let both = PasswordSource(file: file, credentialsDirectory: directory.path, program: "tallyd")
        #expect(try both.read() == "from a file")
        #expect(try PasswordSource(credentialsDirectory: directory.path, program: "other").read() == nil)
    }

    @Test func `libpq's messages become errors by their SQLSTATE`() {
        func kind(_ message: String, password: String? = nil) -> StoreError {
            PostgresConnection.refusal(message, password, "The database x")
        }
        let server = #"connection to server at "127.0.0.1", port 5432 failed: FATAL:"#
        let refused = kind("\(server)  28P01: password authentication failed for user \"vm\"\nLOCATION:  auth_failed")
        #expect(refused.kind == .misconfigured)
        #expect(refused.sqlState == "28P01")
        #expect(refused.description.contains("password authentication failed for user"))
        #expect(!refused.description.contains("LOCATION"))
        #expect(kind("\(server)  57P03: the database system is starting up").kind == .unavailable)
        #expect(kind("\(server)  53300: sorry, too many clients already").kind == .unavailable)
        #expect(kind(#"\#(server)  3D000: database "farm" does not exist"#).kind == .misconfigured)
        #expect(kind("connection to server failed: Connection refused\n\tIs the server running").kind == .unavailable)
        #expect(kind("SSL error: certificate verify failed").kind == .misconfigured)
        #expect(kind("SSL SYSCALL error: EOF detected").kind == .unavailable)
        // A password that is a word of the message.
        let word = kind("\(server)  28P01: password authentication failed for user \"vm\"", password: "password")
        #expect(word.sqlState == "28P01")
        #expect(!word.description.contains("password authentication"))
        // A name with two addresses, of which one has no server.
        let first = #"connection to server at "::1", port 5432 failed: Connection refused"#
        #expect(kind("\(first)\n\tIs the server running?\n\(server)  28P01: refused").kind == .misconfigured)
        let hidden = kind("something with hunter2 inside", password: "hunter2")
        #expect(!hidden.description.contains("hunter2"))
    }
}
