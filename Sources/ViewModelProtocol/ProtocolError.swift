/// The error of a request: code, message and data of the protocol's section 2.
///
/// The set of codes is open: a client keeps an unknown code. The factories below are the only place that assigns a code
/// to a cause.
public struct ProtocolError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The code that identifies the kind of the error.
    public var code: ErrorCode
    /// The error in one line, for people.
    public var message: String
    /// The details, for programs.
    public var data: JSONValue?
    /// Details for the daemon's log.
    ///
    /// They are never sent to a client.
    package var cause: String?

    /// Creates an error.
    public init(code: ErrorCode, message: String, data: JSONValue? = nil) {
        self.code = code
        self.message = message
        self.data = data
    }

    /// The message and the code.
    public var description: String { "\(message) (\(code.rawValue))" }
}

extension ErrorCode {
    /// The action failed.
    ///
    /// `data` has `error`, `details` and `retryable`.
    public static let actionFailed = ErrorCode(rawValue: -32000)
    /// A message was longer than `data.limit` bytes.
    public static let messageTooLarge = ErrorCode(rawValue: -32001)
    /// The action `data.action` is disabled.
    public static let disabled = ErrorCode(rawValue: -32002)
    /// The action `data.action` is executing, and its policy is `exclusive`.
    public static let executing = ErrorCode(rawValue: -32003)
    /// The `data.session`, `data.instance` or `data.type` does not exist.
    ///
    /// `data.suggestions` has similar names.
    public static let notFound = ErrorCode(rawValue: -32004)
    /// Access is denied.
    ///
    /// `data.reason` has the reason.
    public static let accessDenied = ErrorCode(rawValue: -32005)
    /// The limit `data.limit`, whose value is `data.value`, is exceeded.
    public static let limitExceeded = ErrorCode(rawValue: -32006)
    /// The daemon is shutting down.
    public static let shuttingDown = ErrorCode(rawValue: -32007)
    /// The deadline of `data.deadline` milliseconds has passed.
    public static let deadlinePassed = ErrorCode(rawValue: -32008)
    /// The session is in use on another machine, which shares the store.
    ///
    /// `data` has `node`, the machine's name, and `attached`, the number of its connections.
    public static let sessionInUse = ErrorCode(rawValue: -32009)
    /// The connection's session has ended, and the connection has not attached again.
    ///
    /// The daemon has not carried out the call. `data` has `session`, which is null for the connection's anonymous
    /// session, and `reason`, as in the notification `session.closed`.
    public static let sessionEnded = ErrorCode(rawValue: -32010)
    /// The request was cancelled.
    public static let cancelled = ErrorCode(rawValue: -32800)

    /// All codes that a daemon sends.
    package static let listed: [ErrorCode] = [
        .parseError, .invalidRequest, .methodNotFound, .invalidParams, .internalError, .actionFailed, .messageTooLarge,
        .disabled, .executing, .notFound, .accessDenied, .limitExceeded, .shuttingDown, .deadlinePassed,
        .sessionInUse, .sessionEnded, .cancelled,
    ]

    /// The codes with which any method can fail, beside its own.
    package static let common: [ErrorCode] = [.internalError, .limitExceeded, .shuttingDown]
}

extension ProtocolError {
    private init(_ code: ErrorCode, _ message: String, _ data: JSONObject) {
        self.init(code: code, message: message, data: data.isEmpty ? nil : .object(data))
    }

    /// Returns the error for invalid JSON (-32700).
    ///
    /// `offset` counts bytes from the start of the message, if known. `hint` is a sentence about the likely cause.
    package static func parseError(offset: Int? = nil, hint: String? = nil) -> Self {
        var data: JSONObject = [:]
        if let offset { data["offset"] = .integer(offset) }
        if let hint { data["hint"] = .string(hint) }
        return Self(.parseError, "Parse error", data)
    }

    /// Returns the error for JSON that is not a valid request (-32600).
    ///
    /// `id` is the duplicate id. It stands in `data`, because the `id` of the reply must be null. `hint` is a sentence
    /// about the remedy.
    package static func invalidRequest(reason: String, id: RequestID? = nil, hint: String? = nil) -> Self {
        var data: JSONObject = ["reason": .string(reason)]
        if let id { data["id"] = JSONValue(id) }
        if let hint { data["hint"] = .string(hint) }
        return Self(.invalidRequest, "Invalid Request", data)
    }

    /// Returns the error for a method whose instance or member does not exist (-32601).
    ///
    /// `instance` is nil for a method without a dot. `hint` is a sentence about a name that is not a method.
    package static func methodNotFound(
        instance: String?,
        member: String,
        suggestions: [String] = [],
        hint: String? = nil
    ) -> Self {
        var data: JSONObject = [
            "instance": instance.map { .string($0) } ?? .null,
            "member": .string(member),
            "suggestions": .strings(suggestions),
        ]
        if let hint { data["hint"] = .string(hint) }
        return Self(.methodNotFound, "Method not found", data)
    }

    /// Returns the error for a value in the params that does not fit (-32602).
    package static func invalidParams(_ mismatch: ValueMismatch) -> Self {
        var error = invalidParams(path: mismatch.path, expected: mismatch.expected, found: mismatch.found)
        error.cause = mismatch.cause
        return error
    }

    /// Returns the error for a value in the params that does not fit (-32602).
    ///
    /// `path` is a JSON Pointer into the params.
    package static func invalidParams(
        path: String,
        expected: String,
        found: String,
        suggestions: [String]? = nil
    ) -> Self {
        var data: JSONObject = [
            "path": .string(path), "expected": .string(expected), "found": .string(found),
        ]
        if let suggestions { data["suggestions"] = .strings(suggestions) }
        return Self(.invalidParams, "Invalid params", data)
    }

    /// The same error without the value that did not fit and without ``cause``, because the value may be a secret.
    package var redacted: Self {
        guard code == .invalidParams, var members = data?.objectValue, let found = members["found"],
            found != .string(ValueMismatch.nothing)
        else { return self }
        members["found"] = .string("something that is not shown")
        return Self(code: code, message: message, data: .object(members))
    }

    /// Returns the error for a fault of the daemon (-32603).
    ///
    /// Only the log has the cause, under the incident's id.
    package static func internalError(incident: String) -> Self {
        Self(.internalError, "Internal error", ["incident": .string(incident)])
    }

    /// Returns the error for an action that ran and failed (-32000).
    ///
    /// `error` is a stable name for programs, such as `invalidCredentials`. `message` is for people.
    package static func actionFailed(
        error: String,
        details: JSONValue? = nil,
        retryable: Bool = false,
        message: String? = nil
    ) -> Self {
        let data: JSONObject = ["error": .string(error), "details": details ?? .null, "retryable": .bool(retryable)]
        return Self(.actionFailed, message ?? "The action failed", data)
    }

    /// Returns the error for a discarded message of more than `limit` bytes (-32001).
    package static func messageTooLarge(limit: Int) -> Self {
        Self(.messageTooLarge, "Message too large", ["limit": .integer(limit)])
    }

    /// Returns the error for an action that is disabled (-32002).
    package static func disabled(action: String) -> Self {
        Self(.disabled, "The action is disabled", ["action": .string(action)])
    }

    /// Returns the error for a call of an executing action with the policy `exclusive` (-32003).
    package static func executing(action: String) -> Self {
        Self(.executing, "The action is already executing", ["action": .string(action)])
    }

    /// Returns the error for a session that does not exist for the caller (-32004).
    package static func notFound(session: String, suggestions: [String] = []) -> Self {
        notFound("session", session, suggestions)
    }

    /// Returns the error for an instance that does not exist (-32004).
    package static func notFound(instance: String, suggestions: [String] = []) -> Self {
        notFound("instance", instance, suggestions)
    }

    /// Returns the error for a type that does not exist (-32004).
    package static func notFound(type: String, suggestions: [String] = []) -> Self {
        notFound("type", type, suggestions)
    }

    private static func notFound(_ kind: String, _ name: String, _ suggestions: [String]) -> Self {
        let data: JSONObject = [kind: .string(name), "suggestions": .strings(suggestions)]
        return Self(.notFound, "No such \(kind)", data)
    }

    /// Returns the error for denied access (-32005).
    package static func accessDenied(reason: String) -> Self {
        Self(.accessDenied, "Access denied", ["reason": .string(reason)])
    }

    /// Returns the error for an exceeded limit (-32006).
    ///
    /// `limit` is its name in the configuration: `limits.batch`.
    package static func limitExceeded(limit: String, value: Int) -> Self {
        Self(.limitExceeded, "Limit exceeded", ["limit": .string(limit), "value": .integer(value)])
    }

    /// The error while the daemon shuts down (-32007).
    package static var shuttingDown: Self {
        Self(code: .shuttingDown, message: "The daemon is shutting down")
    }

    /// Returns the error for a call whose deadline, in milliseconds from receipt, has passed (-32008).
    package static func deadlinePassed(deadline: Int) -> Self {
        Self(.deadlinePassed, "Deadline passed", ["deadline": .integer(deadline)])
    }

    /// Returns the error for a session to which clients are attached on another machine (-32009).
    package static func sessionInUse(node: String, attached: Int) -> Self {
        let data: JSONObject = ["node": .string(node), "attached": .integer(attached)]
        return Self(.sessionInUse, "The session is in use on another machine", data)
    }

    /// Returns the error for a call on a connection whose session has ended (-32010).
    ///
    /// `session` is nil for the connection's anonymous session.
    package static func sessionEnded(_ session: String?, reason: String) -> Self {
        let session = session.map { JSONValue.string($0) } ?? .null
        let data: JSONObject = ["session": session, "reason": .string(reason)]
        return Self(.sessionEnded, "The connection's session has ended", data)
    }

    /// The error for a call that needs the store while it cannot be reached or written (-32000 `storeUnavailable`).
    package static var storeUnavailable: Self {
        actionFailed(
            error: "storeUnavailable",
            retryable: true,
            message: "The daemon's store cannot be used now. Try again later"
        )
    }

    /// The error for a cancelled request (-32800).
    package static var cancelled: Self {
        Self(code: .cancelled, message: "The request was cancelled")
    }
}

extension ProtocolError {
    /// Creates an error from the error object of a reply; returns nil without an integer `code` and a string `message`.
    package init?(_ object: JSONValue) {
        guard let code = object["code"]?.intValue, let message = object["message"]?.stringValue else { return nil }
        self.init(code: ErrorCode(rawValue: code), message: message, data: object["data"])
    }

    /// Appends the error object (JSON-RPC 2.0, section 5.1).
    ///
    /// Without details it has no member `data`.
    package func write(to writer: inout JSONWriter) {
        writer.raw(#"{"code":"#)
        writer.integer(code.rawValue)
        writer.raw(#","message":"#)
        writer.string(message)
        if let data {
            writer.raw(#","data":"#)
            data.write(to: &writer)
        }
        writer.raw("}")
    }
}

extension JSONValue {
    static func strings(_ values: [String]) -> JSONValue { .array(values.map { .string($0) }) }
}
