import PostgresSupport
import Testing
import ViewModelStorage

@testable import ViewModelPostgres

@Suite(.postgres) struct ConnectionTests {
    private func connection() async throws -> (PostgresConnection, Deadline) {
        (try PostgresConnection.open(await PostgresServer.shared().settings()), Deadline(after: .seconds(30)))
    }

    /// Returns the first row of a statement.
    private func row(_ sql: String, _ values: [SQLValue] = [], on connection: PostgresConnection) throws -> SQLRow {
        try connection.queue(sql, values)
        return try #require(try connection.collect(until: Deadline(after: .seconds(30))).first?.first)
    }

    @Test func `values of every type arrive as they were sent`() async throws {
        let row = try await row(
            """
            SELECT $1::bigint AS i, $2::double precision = 1.5 AS r, $3::text AS t, $4::bytea AS b, $5::boolean AS y,
            $6::bytea AS n, $7::text IS NULL AS nt, $8::bigint AS ni, 7::smallint AS s, -3::integer AS m
            """,
            [
                .integer(.min), .real(1.5), .text("Grüße\n"), .bytes([0, 1, 255]), .truth(true), .null, .null,
                .null,
            ],
            on: connection().0
        )
        #expect(try row.integer("i", as: Int64.self) == .min)
        #expect(try row.truth("r"))
        #expect(try row.text("t") == "Grüße\n")
        #expect(try row.bytes("b") == [0, 1, 255])
        #expect(try row.truth("y"))
        #expect(try row.optionalBytes("n") == nil)
        #expect(try row.truth("nt"))
        #expect(try row.optionalInteger("ni") == nil)
        #expect(try row.integer("s", as: Int16.self) == 7)
        #expect(try row.integer("m", as: Int.self) == -3)
        #expect(throws: StoreError.self) { try row.integer("b", as: Int.self) }
        #expect(throws: StoreError.self) { try row.text("i") }
        #expect(throws: StoreError.self) { try row.integer("missing", as: Int.self) }
    }

    @Test(arguments: [0, 1, 3000])
    func `arrays arrive as they were sent`(count: Int) async throws {
        let (connection, deadline) = try await connection()
        let numbers = (0..<count).map { Int64($0) }
        let texts = numbers.map { "text \($0)" }
        let strings = numbers.map { $0 % 3 == 0 ? nil : [UInt8](repeating: UInt8($0 % 256), count: Int($0) % 50) }
        try connection.queue(
            """
            SELECT * FROM unnest($1::bigint[], $2::text[], $3::bytea[]) WITH ORDINALITY AS all_values (i, t, b, n) ORDER BY n
            """,
            [.integers(numbers), .texts(texts), .byteStrings(strings)]
        )
        let rows = try #require(try connection.collect(until: deadline).first)
        #expect(try rows.map { try $0.integer("i", as: Int64.self) } == numbers)
        #expect(try rows.map { try $0.text("t") } == texts)
        #expect(try rows.map { try $0.optionalBytes("b") } == strings)
    }

    @Test func `queued statements are one transaction, and their results come in order`() async throws {
        let (connection, deadline) = try await connection()
        try connection.queue("CREATE TEMPORARY TABLE t (n int PRIMARY KEY)", [])
        try connection.queue("INSERT INTO t VALUES (1), (2)", [])
        try connection.queue("SELECT count(*) AS count FROM t", [])
        let results = try connection.collect(until: deadline)
        #expect(results.map(\.count) == [0, 0, 1])
        #expect(try results[2].first?.integer("count", as: Int.self) == 2)

        try connection.queue("INSERT INTO t VALUES (3)", [])
        try connection.queue("INSERT INTO t VALUES (1)", [])
        try connection.queue("INSERT INTO t VALUES (4)", [])
        let error = #expect(throws: StoreError.self) { try connection.collect(until: deadline) }
        #expect(error?.kind == .failed)
        #expect(error?.sqlState == "23505")
        #expect(error?.description.contains("t_pkey") == true)
        #expect(!connection.isBroken)
        #expect(try row("SELECT count(*) AS count FROM t", on: connection).integer("count", as: Int.self) == 2)
    }

    @Test func `a statement that was skipped behind an error is prepared again`() async throws {
        let (connection, deadline) = try await connection()
        try connection.queue("SELECT 1 / $1::int AS x", [.integer(0)])
        // The server never sees this one, because the first one fails.
        try connection.queue("SELECT 'later' AS x", [])
        #expect(throws: StoreError.self) { try connection.collect(until: deadline) }
        #expect(try row("SELECT 'later' AS x", on: connection).text("x") == "later")
    }

    @Test func `results and parameters larger than all buffers pass`() async throws {
        let (connection, deadline) = try await connection()
        let large = [UInt8](repeating: 7, count: 6_000_000)
        for _ in 0..<3 { try connection.queue("SELECT $1::bytea AS b", [.bytes(large)]) }
        let results = try connection.collect(until: deadline)
        #expect(results.count == 3)
        #expect(try results.allSatisfy { try $0.first?.bytes("b") == large })
    }

    @Test func `an error shows no value of a statement`() async throws {
        let (connection, deadline) = try await connection()
        try connection.queue("SELECT $1::text::int", [.text("hunter2")])
        let error = #expect(throws: StoreError.self) { try connection.collect(until: deadline) }
        #expect(error?.kind == .failed)
        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.description.contains("22P02") == true)
    }

    @Test func `the server ends a statement at its time limit, and the connection stays usable`() async throws {
        var settings = try await PostgresServer.shared().settings()
        settings.statementLimit = .seconds(5)
        let connection = try PostgresConnection.open(settings)
        try connection.queue("SELECT pg_sleep(60)", [])
        let error = #expect(throws: StoreError.self) { try connection.collect(until: Deadline(after: .seconds(30))) }
        #expect(error?.kind == .unavailable)
        #expect(error?.sqlState == "57014")
        #expect(!connection.isBroken)
        #expect(try row("SELECT 1 AS one", on: connection).integer("one", as: Int.self) == 1)
    }

    @Test func `an acknowledged write is on disk even if the server's default is not to wait`() async throws {
        let server = try await PostgresServer.shared()
        for (option, expected) in [("off", "on"), ("remote_apply", "remote_apply")] {
            let connection = try PostgresConnection.open(server.settings("&options=-csynchronous_commit%3D\(option)"))
            let value = try row("SELECT current_setting('synchronous_commit') AS value", on: connection).text("value")
            #expect(value == expected)
        }
    }
}
