import ViewModelProtocol

/// A parsed line from the daemon.
enum IncomingLine: Equatable {
    /// The result of a request, as raw JSON.
    case result(Int, [UInt8])
    /// The error of a request.
    case failure(Int, ProtocolError)
    /// An error without an id.
    ///
    /// The daemon could not read a request, or it refuses the connection.
    case unattributedError(ProtocolError)
    /// A notification, with its params as raw JSON.
    case notification(String, [UInt8])
    /// A line that this version of the client ignores.
    case ignored

    init(_ line: [UInt8]) {
        self = line.withUnsafeBytes { Self.read($0) }
    }

    private static func read(_ bytes: Bytes) -> IncomingLine {
        guard let envelope = try? Envelope(parsing: bytes) else { return .ignored }
        switch envelope.kind {
        case .notification:
            let method = JSONText.string(bytes.part(envelope.method))
            return .notification(method, envelope.params.map { Array(bytes.part($0)) } ?? Array("{}".utf8))
        case .reply:
            let id = envelope.id.flatMap { Int(String(decoding: bytes.part($0), as: UTF8.self)) }
            let object = envelope.error.flatMap { try? JSONValue(parsing: bytes.part($0)) }
            if let error = object.flatMap({ ProtocolError($0) }) {
                return id.map { .failure($0, error) } ?? .unattributedError(error)
            }
            guard let id, let result = envelope.result else { return .ignored }
            return .result(id, Array(bytes.part(result)))
        case .request, .invalid:
            return .ignored
        }
    }

    /// Decodes a value from the daemon and ignores unknown members.
    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8]) throws(ValueMismatch) -> Value {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ValueMismatch) in try JSONValueDecoder.decode(type, from: bytes, isLenient: true) }
        }
        return try result.get()
    }
}
