import ViewModelProtocol

/// What a line from the daemon means to a client.
enum IncomingLine: Equatable {
    /// The result of a request, as raw JSON.
    case result(Int, [UInt8])
    /// The error that a request was answered with.
    case failure(Int, ProtocolError)
    /// An error without an id: a request could not be read, or the whole connection is refused.
    case complaint(ProtocolError)
    /// A notification, with its params as raw JSON.
    case notification(String, [UInt8])
    /// Something that a client of this version has no use for.
    case noise

    /// Whether the line shows that the daemon works for this client.
    var isUseful: Bool {
        switch self {
        case .result, .failure, .notification: true
        case .complaint, .noise: false
        }
    }

    init(_ line: [UInt8]) {
        self = line.withUnsafeBytes { Self.read($0) }
    }

    private static func read(_ bytes: Bytes) -> IncomingLine {
        guard case .single(let envelope)? = try? ParsedMessage.parse(bytes, maximumBatch: 1) else { return .noise }
        switch envelope.kind {
        case .notification:
            let method = JSONText.string(bytes.part(envelope.method))
            return .notification(method, envelope.params.map { Array(bytes.part($0)) } ?? Array("{}".utf8))
        case .answer:
            let id = envelope.id.flatMap { Int(String(decoding: bytes.part($0), as: UTF8.self)) }
            if let error = envelope.error.flatMap({ ErrorObject(parsing: bytes.part($0)) }) {
                let error = ProtocolError(error)
                return id.map { .failure($0, error) } ?? .complaint(error)
            }
            guard let id, let result = envelope.result else { return .noise }
            return .result(id, Array(bytes.part(result)))
        case .request, .invalid:
            return .noise
        }
    }

    /// Reads a value of the daemon's.
    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(ValueMismatch) -> Value {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ValueMismatch) in try JSONValueDecoder.decode(Tolerant<Value>.self, from: bytes).value }
        }
        return try result.get()
    }
}
