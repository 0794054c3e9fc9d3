import CPostgres
import Glibc
import ViewModelStorage

extension PostgresConnection {
    /// Opens a connection to the first server of the settings that accepts one; `isPlain` for one on which nothing is set.
    ///
    /// - Throws: `StoreError`: a refusal of a server rather than the absence of another one.
    static func open(
        _ settings: ConnectionSettings,
        _ notices: ServerNotices? = nil,
        isPlain: Bool = false
    ) throws(StoreError) -> PostgresConnection {
        let password = try settings.password.read()
        var failure = StoreError.lost(settings.label, "store.url names no server")
        for server in settings.servers {
            do {
                let connection = try connect(settings, notices, server, password)
                if !isPlain { try connection.prepare(settings) }
                return connection
            } catch {
                if failure.kind == .unavailable { failure = error }
            }
        }
        throw failure
    }

    private static func connect(
        _ settings: ConnectionSettings,
        _ notices: ServerNotices?,
        _ server: ConnectionSettings.Server,
        _ password: String?
    ) throws(StoreError) -> PostgresConnection {
        let deadline = Deadline(after: settings.connectLimit)
        while !deadline.hasPassed {
            if let connection = try attempt(settings, notices, server, password, until: deadline) { return connection }
        }
        throw .timeLimit(settings.label)
    }

    /// Makes one attempt to connect to a server; returns nil if the network does not answer within a second.
    ///
    /// The kernel sends the first packet again after one second, and then after two more. If the network is back meanwhile,
    /// a new attempt notices it sooner.
    private static func attempt(
        _ settings: ConnectionSettings,
        _ notices: ServerNotices?,
        _ server: ConnectionSettings.Server,
        _ password: String?,
        until deadline: Deadline
    ) throws(StoreError) -> PostgresConnection? {
        let parameters = settings.parameters(for: server, password: password)
        guard let handle = start(parameters) else { throw .lost(settings.label, "the memory is full") }
        var isOwned = false
        defer { if !isOwned { PQfinish(handle) } }
        ServerNotices.receive(from: handle, notices)
        // Its messages then contain the SQLSTATE, which libpq offers in no other way while it connects.
        _ = PQsetErrorVerbosity(handle, PQERRORS_VERBOSE)
        let answer = Deadline(after: min(deadline.remaining, .seconds(1)))
        // `PQconnectPoll` wants a writable socket first.
        var status = PGRES_POLLING_WRITING
        while status != PGRES_POLLING_OK {
            guard PQstatus(handle) != CONNECTION_BAD, status != PGRES_POLLING_FAILED, PQsocket(handle) >= 0 else {
                throw refusal(String(cString: PQerrorMessage(handle)), password, settings.label)
            }
            let hasAnswered = PQstatus(handle) != CONNECTION_STARTED
            let limit = hasAnswered ? deadline : answer
            guard limit.wait(for: status == PGRES_POLLING_READING ? POLLIN : POLLOUT, on: PQsocket(handle)) else {
                if hasAnswered { throw .timeLimit(settings.label) }
                return nil
            }
            status = PQconnectPoll(handle)
        }
        _ = PQsetErrorVerbosity(handle, PQERRORS_DEFAULT)
        isOwned = true
        return try PostgresConnection(handle, label: settings.label, notices)
    }

    private static func start(_ parameters: [(String, String)]) -> OpaquePointer? {
        let words = parameters.map { (strdup($0.0), strdup($0.1)) }
        defer {
            for (keyword, value) in words {
                // The value may be the password.
                if let value { explicit_bzero(value, strlen(value)) }
                free(keyword)
                free(value)
            }
        }
        let keywords = words.map { UnsafePointer($0.0) } + [nil]
        let values = words.map { UnsafePointer($0.1) } + [nil]
        return PQconnectStartParams(keywords, values, 0)
    }

    /// Maps the message of a connection that failed.
    static func refusal(_ message: String, _ password: String?, _ label: String) -> StoreError {
        func shown(_ text: Substring) -> String {
            if let password, text.contains(password) { return "(the message is hidden)" }
            return String(text)
        }
        // A name with several addresses gives a line for each. The answer of a server is worth more than a missing one.
        let lines = message.split(separator: "\n")
        for line in lines {
            guard let code = sqlState(in: line) else { continue }
            let text = line.split(separator: "\(code): ", maxSplits: 1).last ?? ""
            return StoreError(sqlState: code, message: shown(text.drop { $0 == " " }), label: label)
        }
        let line = shown(lines.first ?? "")
        if line.contains("no password supplied") {
            return StoreError(
                .misconfigured,
                label,
                "wants a password. Write it into the file of store.passwordFile, or pass a systemd credential"
            )
        }
        // The server or the network has ended a connection with TLS.
        if ["SSL SYSCALL", "SSL connection has been closed", "unexpected eof"].contains(where: line.contains) {
            return .lost(label, line)
        }
        if ["certificate", "SSL", "GSS", "channel binding"].contains(where: line.contains) {
            return StoreError(
                .misconfigured,
                label,
                """
                cannot be trusted: \(line). Correct sslmode, sslrootcert and channel_binding of store.url, \
                or the server's certificate
                """
            )
        }
        return .lost(label, line)
    }

    /// Returns the code in a line such as `… FATAL:  28P01: password authentication failed for user …`.
    private static func sqlState(in line: Substring) -> String? {
        line.split(separator: " ").first { word in
            let name = word.dropLast()
            return word.count == 6 && word.last == ":" && name.contains { $0.isNumber }
                && name.allSatisfy { $0.isASCII && ($0.isNumber || $0.isUppercase) }
        }.map { String($0.dropLast()) }
    }

    /// Sets what the daemon relies on, and checks that the server accepts writes.
    private func prepare(_ settings: ConnectionSettings) throws(StoreError) {
        let limit = settings.statementLimit
        let milliseconds = String(Int(limit / .milliseconds(1)))
        let wanted: [(name: String, value: String)] = [
            ("search_path", "\"\(settings.schema)\""),
            ("statement_timeout", milliseconds),
            // A node that is stopped in a transaction must not hold its locks longer than others wait for them.
            ("idle_in_transaction_session_timeout", String(Int(limit / .milliseconds(2)))),
            // The batches of other callers travel behind a statement that waits for a lock. It is repeated behind them.
            ("lock_timeout", String(Int(limit / .milliseconds(4)))),
            // The server must notice a node that is cut off, and must end what it was executing.
            ("client_connection_check_interval", "2000"), ("tcp_user_timeout", "10000"),
            ("tcp_keepalives_idle", "5"), ("tcp_keepalives_interval", "2"), ("tcp_keepalives_count", "3"),
            // All statements find rows by keys, so a plan for the values of one call is worth nothing.
            ("plan_cache_mode", "force_generic_plan"),
            // The settings of the role and of the database must not end idle connections, or change what transactions see.
            ("idle_session_timeout", "0"), ("transaction_timeout", "0"),
            ("default_transaction_isolation", "read committed"),
        ]
        // What speaks PostgreSQL's protocol may lack a setting.
        try queue(
            """
            SELECT set_config(wanted.name, wanted.value, false) FROM unnest($1::text[], $2::text[]) AS wanted (name, value)
            WHERE EXISTS (SELECT FROM pg_catalog.pg_settings known WHERE known.name = wanted.name)
            """,
            [.texts(wanted.map(\.name)), .texts(wanted.map(\.value))]
        )
        // What was acknowledged must outlast a crash of the server. Stricter values stay.
        try queue(
            """
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'
            """,
            []
        )
        _ = try collect(until: Deadline(after: settings.connectLimit))
    }

    /// Executes a statement by itself, without preparing it, and returns the first value of its result.
    ///
    /// It may change the state of the transaction.
    func ask(_ sql: String, until deadline: Deadline) throws(StoreError) -> String? {
        try check(PQexitPipelineMode(handle) == 1 && PQsendQuery(handle, sql) == 1)
        var value: String?
        var failure: StoreError?
        while let answer = try next(until: deadline) {
            defer { PQclear(answer) }
            switch PQresultStatus(answer) {
            case PGRES_TUPLES_OK: value = PQgetvalue(answer, 0, 0).map { String(cString: $0) }
            case PGRES_COMMAND_OK: break
            default: failure = error(of: answer)
            }
        }
        if let failure { throw failure }
        try check(PQenterPipelineMode(handle) == 1)
        return value
    }

    /// Asks the server to cancel the statement that it executes, if there is one.
    ///
    /// The request needs a connection of its own.
    func cancelRunning() {
        // The request would not be encrypted. The server notices the end of the connection by itself.
        guard PQsslInUse(handle) == 0 else { return }
        guard PQtransactionStatus(handle) == PQTRANS_ACTIVE, let request = PQgetCancel(handle) else { return }
        defer { PQfreeCancel(request) }
        var text = [CChar](repeating: 0, count: 256)
        _ = PQcancel(request, &text, Int32(text.count))
    }
}
