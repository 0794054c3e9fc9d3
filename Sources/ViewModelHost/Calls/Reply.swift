import ViewModelProtocol

/// The reply to a call.
enum Reply: Sendable {
    case null
    /// The step after which an input's immediate effects are visible, and whether a frame of the sender's binding is
    /// held.
    case sequence(Int, isHeld: Bool)
    /// A result as JSON text.
    case result([UInt8])
    /// An error, indirect because it is large and rare.
    indirect case error(ProtocolError)

    /// Writes the JSON-RPC response.
    ///
    /// `id` is JSON text; without one the response has a null id.
    func write(id: Bytes?, to writer: inout JSONWriter) {
        let id = id ?? Self.noID
        switch self {
        case .sequence(let sequence, let isHeld):
            // Most replies are of this kind, so it is written in one bounded piece.
            writer.write(atMost: 60 + id.count + BoundedJSONWriter.longestInteger) { bounded in
                bounded.raw("{\"jsonrpc\":\"2.0\",\"id\":")
                bounded.raw(id)
                bounded.raw(",\"result\":{\"seq\":")
                bounded.integer(sequence)
                if isHeld { bounded.raw(",\"held\":true}}") } else { bounded.raw("}}") }
            }
        case .null:
            Self.begin(id, &writer)
            writer.raw(",\"result\":null}")
        case .result(let text):
            Self.begin(id, &writer)
            writer.raw(",\"result\":")
            writer.raw(text)
            writer.byte(UInt8(ascii: "}"))
        case .error(let error):
            Self.begin(id, &writer)
            writer.raw(",\"error\":")
            ErrorObject(error).write(to: &writer)
            writer.byte(UInt8(ascii: "}"))
        }
    }

    private static var noID: Bytes {
        let text: StaticString = "null"
        return Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount)
    }

    private static func begin(_ id: Bytes, _ writer: inout JSONWriter) {
        writer.raw("{\"jsonrpc\":\"2.0\",\"id\":")
        writer.raw(id)
    }

    /// Encodes a typed result of one of the protocol's own methods.
    static func encoding<Result: Encodable>(_ result: Result) throws -> Reply {
        var writer = JSONWriter()
        try writer.encode(result)
        return .result(writer.bytes)
    }
}
