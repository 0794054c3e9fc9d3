import ViewModelProtocol

/// What a call came to.
enum Reply: Sendable {
    case null
    /// The step after which an input's immediate effects are visible.
    case sequence(Int)
    /// A result, as JSON text.
    case result([UInt8])
    /// Indirect, because it is big and rare.
    indirect case error(ProtocolError)

    /// Writes the response to the request of an id, which is JSON text; null without one.
    func write(id: Bytes?, to writer: inout JSONWriter) {
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        if let id { writer.raw(id) } else { writer.null() }
        switch self {
        case .null:
            writer.raw(",\"result\":null}")
        case .sequence(let sequence):
            writer.raw(",\"result\":{\"seq\":")
            writer.integer(sequence)
            writer.raw("}}")
        case .result(let text):
            writer.raw(",\"result\":")
            writer.raw(text)
            writer.byte(UInt8(ascii: "}"))
        case .error(let error):
            writer.raw(",\"error\":")
            ErrorObject(error).write(to: &writer)
            writer.byte(UInt8(ascii: "}"))
        }
    }

    /// A typed result of one of the protocol's own methods.
    static func encoding<Result: Encodable>(_ result: Result) throws -> Reply {
        var writer = JSONWriter()
        try writer.encode(result)
        return .result(writer.bytes)
    }
}
