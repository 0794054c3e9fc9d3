import CPostgres
import DequeModule
import Glibc
import ViewModelStorage

package typealias SQLStatement = (sql: String, values: [SQLValue])

/// A connection to the database, in libpq's pipeline mode: statements are queued and sent together.
///
/// Its calls block the thread. `ConnectionThread` has a thread for them.
///
/// Every statement is prepared when the connection first runs it. The preparation travels with the statement, so it
/// costs no round trip.
final class PostgresConnection {
    /// Statements in a transaction of their own, and their caller.
    struct Batch: Sendable {
        let statements: [SQLStatement]
        let limit: Duration
        let completion: @Sendable (Result<[[SQLRow]], StoreError>) -> Void
    }

    let handle: OpaquePointer
    let label: String
    /// The receiver of the server's notices, which libpq does not retain.
    private let notices: ServerNotices?
    private var prepared: [String: String] = [:]
    private var lastName = 0
    /// What was queued: the text of a preparation; nil for a statement.
    private var pending: [String?] = []
    var hasUnsent: Bool { !pending.isEmpty }
    /// What was sent, by transaction.
    private var sent: Deque<[String?]> = []
    /// Whether the connection can no longer be used.
    private(set) var isBroken = false

    /// Takes over an open connection of libpq.
    init(_ handle: OpaquePointer, label: String, _ notices: ServerNotices?) throws(StoreError) {
        self.handle = handle
        self.label = label
        self.notices = notices
        guard PQsetnonblocking(handle, 1) == 0, PQenterPipelineMode(handle) == 1 else {
            throw .lost(label, "the connection cannot be used")
        }
    }

    deinit {
        if isBroken { discardUnsent() }
        PQfinish(handle)
    }

    /// Lets the kernel discard what the server has not received.
    ///
    /// The caller has given it up. It would arrive after later work of other connections once the network is back.
    private func discardUnsent() {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(PQsocket(handle), SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    var socket: Int32 { PQsocket(handle) }

    /// Queues a statement.
    ///
    /// ``collect(until:)`` sends it.
    func queue(_ sql: String, _ values: [SQLValue]) throws(StoreError) {
        try check(PQstatus(handle) == CONNECTION_OK)
        let types = values.map(\.type)
        let name: String
        if let known = prepared[sql] {
            name = known
        } else {
            lastName += 1
            name = "s\(lastName)"
            try check(PQsendPrepare(handle, name, sql, Int32(values.count), types) == 1)
            pending.append(sql)
            prepared[sql] = name
        }
        let encoded = values.map(\.encoded)
        try check(Self.send(handle, name, encoded))
        pending.append(nil)
    }

    private static func send(_ handle: OpaquePointer, _ name: String, _ values: [[UInt8]?]) -> Bool {
        // All values in one buffer, so that the pointers stay valid during the call.
        let buffer = values.reduce(into: [UInt8]()) { $0 += $1 ?? [] } + [0]
        let lengths = values.map { Int32($0?.count ?? 0) }
        let formats = [Int32](repeating: 1, count: values.count)
        return buffer.withUnsafeBytes { bytes in
            var offset = 0
            let pointers = values.map { value -> UnsafePointer<CChar>? in
                guard let value else { return nil }
                defer { offset += value.count }
                return bytes.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            return PQsendQueryPrepared(handle, name, Int32(values.count), pointers, lengths, formats, 1) == 1
        }
    }

    /// Sends the queued statements and returns the rows of each, in order.
    ///
    /// Outside of `BEGIN` and `COMMIT` they are one transaction. The first error is thrown; the statements behind it were
    /// not executed.
    ///
    /// - Throws: `StoreError`; of kind `unavailable` if the connection was lost or the deadline has passed. The
    ///   connection is broken then.
    func collect(until deadline: Deadline) throws(StoreError) -> [[SQLRow]] {
        try send()
        return try collectNext(until: deadline)
    }

    private func send() throws(StoreError) {
        try check(PQpipelineSync(handle) == 1)
        sent.append(pending)
        pending = []
    }

    /// Sends batches together, completes each, and returns their number.
    func run(_ first: Batch, atMost limit: Int, _ next: () -> Batch?) -> Int {
        var batches: [(batch: Batch, deadline: Deadline)] = []
        var batch: Batch? = first
        while let current = batch {
            batches.append((current, .answer(within: current.limit)))
            let known = lastName
            do throws(StoreError) {
                for statement in current.statements { try queue(statement.sql, statement.values) }
                try send()
            } catch {
                // The connection is broken, and `collectNext` says so.
                break
            }
            // A new statement that fails must not be used by another batch before that is known.
            batch = lastName == known && batches.count < limit ? next() : nil
        }
        for (batch, deadline) in batches {
            do throws(StoreError) {
                batch.completion(.success(try collectNext(until: deadline)))
            } catch {
                var failure = error
                failure.isOutcomeUnknown = isBroken
                batch.completion(.failure(failure))
            }
        }
        return batches.count
    }

    /// Returns the rows of the statements that were sent first.
    private func collectNext(until deadline: Deadline) throws(StoreError) -> [[SQLRow]] {
        guard !isBroken, let sent = sent.popFirst() else { throw broken("") }
        var results: [[SQLRow]] = []
        var failure: StoreError?
        for preparation in sent {
            let (rows, error) = try result(until: deadline)
            failure = failure ?? error
            if let preparation {
                if rows == nil { prepared[preparation] = nil }
            } else if let rows {
                results.append(rows)
            }
        }
        guard let end = try next(until: deadline) else { throw broken("the answers are out of order") }
        defer { PQclear(end) }
        guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw broken("the answers are out of order") }
        if let failure {
            // The server ends the connection, or its prepared statements do not fit.
            if failure.kind == .unavailable, !failure.isContention, failure.sqlState?.hasPrefix("53") == false,
                failure.sqlState != "57014"
            {
                isBroken = true
            }
            throw failure
        }
        return results
    }

    /// Reads the result of one command and the end of its results; nil without an error for a command that was skipped.
    private func result(until deadline: Deadline) throws(StoreError) -> (rows: [SQLRow]?, error: StoreError?) {
        guard let answer = try next(until: deadline) else { throw broken("the answers are out of order") }
        defer { PQclear(answer) }
        var outcome: (rows: [SQLRow]?, error: StoreError?)
        switch PQresultStatus(answer) {
        case PGRES_TUPLES_OK: outcome.rows = Self.rows(of: answer)
        case PGRES_COMMAND_OK: outcome.rows = []
        case PGRES_PIPELINE_ABORTED: break
        default:
            outcome.error = error(of: answer)
            // libpq has noticed the loss of the connection.
            guard outcome.error?.sqlState != nil else { throw broken(Self.line(PQresultErrorMessage(answer))) }
        }
        if let surplus = try next(until: deadline) {
            PQclear(surplus)
            throw broken("the answers are out of order")
        }
        return outcome
    }

    /// Returns the next result of libpq when it is there.
    func next(until deadline: Deadline) throws(StoreError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            let unsent = PQflush(handle)
            try check(unsent >= 0 && PQsocket(handle) >= 0)
            guard deadline.wait(for: unsent == 1 ? POLLIN | POLLOUT : POLLIN, on: PQsocket(handle)) else {
                isBroken = true
                throw .timeLimit(label)
            }
            try check(PQconsumeInput(handle) == 1)
        }
        return PQgetResult(handle)
    }

    /// Whether the server may have closed the idle connection.
    ///
    /// It sends a reason before it closes. It sends nothing else that matters to an idle connection that does not listen.
    var isStale: Bool {
        isBroken || Deadline(after: .zero).wait(for: POLLIN, on: PQsocket(handle))
    }

    /// Blocks until notifications have arrived, and returns their texts, each once, so that a flood of one costs little.
    func nextNotifications() throws(StoreError) -> [String] {
        var (all, known) = ([] as [String], Set<String>())
        while true {
            while let notification = PQnotifies(handle) {
                defer { PQfreemem(notification) }
                guard let extra = notification.pointee.extra else { continue }
                let text = String(cString: extra)
                if known.insert(text).inserted { all.append(text) }
            }
            guard all.isEmpty else { return all }
            // Nothing may arrive for as long.
            _ = Deadline(after: .seconds(86_400)).wait(for: POLLIN, on: socket)
            try check(PQconsumeInput(handle) == 1 && PQstatus(handle) == CONNECTION_OK)
        }
    }

    func check(_ isGood: Bool) throws(StoreError) {
        if !isGood { throw broken(Self.line(PQerrorMessage(handle))) }
    }

    private func broken(_ reason: String) -> StoreError {
        isBroken = true
        return .lost(label, reason.isEmpty ? "the connection was lost" : reason)
    }
}

extension PostgresConnection {
    private static func rows(of answer: OpaquePointer) -> [SQLRow] {
        let width = PQnfields(answer)
        var columns: SQLRow.Columns = [:]
        for column in 0..<width {
            guard let name = PQfname(answer, column) else { continue }
            columns[String(cString: name)] = (Int(column), PQftype(answer, column))
        }
        return (0..<PQntuples(answer)).map { row in
            let values = (0..<width).map { column -> [UInt8]? in
                guard PQgetisnull(answer, row, column) == 0, let value = PQgetvalue(answer, row, column) else {
                    return nil
                }
                let length = Int(PQgetlength(answer, row, column))
                return Array(UnsafeRawBufferPointer(start: value, count: length))
            }
            return SQLRow(columns: columns, values: values)
        }
    }

    func error(of answer: OpaquePointer) -> StoreError {
        func field(_ code: Character) -> String? {
            PQresultErrorField(answer, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
        }
        guard let sqlState = field("C") else { return .lost(label, Self.line(PQresultErrorMessage(answer))) }
        let subject = [field("t"), field("n")].compactMap { $0 }.joined(separator: ".")
        var error = StoreError(sqlState: sqlState, message: field("M") ?? "", subject: subject, label: label)
        error.constraint = field("n")
        return error
    }

    /// Returns the first line of a message of libpq.
    static func line(_ message: UnsafePointer<CChar>?) -> String {
        let text = message.map { String(cString: $0) } ?? ""
        return String(text.prefix { $0 != "\n" })
    }
}
