/// A message that a client has received.
public enum ReceivedMessage: Equatable, Sendable {
    /// A request's result.
    case result(id: JSONValue, JSONValue)
    /// A request's error, or an error without a request (`id` null).
    case error(id: JSONValue, ProtocolError)
    /// A `viewModel.changed` notification.
    case frame(Frame)
    /// Any other notification.
    case notification(method: String, params: JSONValue)
    /// The replies to a batch.
    case batch([ReceivedMessage])

    /// Parses a message.
    ///
    /// - Parameter text: the JSON text.
    /// - Throws: ``HarnessError`` when the text is not a JSON-RPC 2.0 message, which would be a fault of the host.
    init(_ text: [UInt8]) throws(HarnessError) {
        guard let value = JSONValue(text: text) else {
            throw HarnessError("no JSON: \(String(decoding: text.prefix(200), as: UTF8.self))")
        }
        try self.init(value)
    }

    private init(_ value: JSONValue) throws(HarnessError) {
        if let entries = value.arrayValue {
            self = .batch(try entries.map { entry throws(HarnessError) in try ReceivedMessage(entry) })
            return
        }
        guard value["jsonrpc"] == .string("2.0") else { throw HarnessError("not JSON-RPC 2.0: \(value)") }
        if let method = value["method"]?.stringValue {
            let params = value["params"] ?? .null
            if method == ViewModelChanged.name {
                self = .frame(Frame(try params.decoded(as: ViewModelChanged.Params.self)))
            } else {
                self = .notification(method: method, params: params)
            }
        } else if let error = value["error"], let id = value["id"] {
            guard let object = ProtocolError(error) else { throw HarnessError("no error object: \(value)") }
            self = .error(id: id, object)
        } else if let result = value["result"], let id = value["id"] {
            self = .result(id: id, result)
        } else {
            throw HarnessError("neither an answer nor a notification: \(value)")
        }
    }

    /// The frame, or nil for any other message.
    public var frame: Frame? {
        if case .frame(let frame) = self { frame } else { nil }
    }

    /// Returns the outcome of the request with this id, or nil if this is not its reply.
    func answer(to wanted: JSONValue) -> Result<JSONValue, ProtocolError>? {
        switch self {
        case .result(let id, let value) where id == wanted: .success(value)
        case .error(let id, let error) where id == wanted: .failure(error)
        default: nil
        }
    }
}
