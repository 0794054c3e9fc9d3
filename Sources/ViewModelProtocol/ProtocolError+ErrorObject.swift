extension ErrorObject {
    /// Writes a protocol error down as JSON-RPC sends it.
    public init(_ error: ProtocolError) {
        self.init(error.code, message: error.message, data: error.data?.text)
    }
}

extension ProtocolError {
    /// Reads the error of an answer; data that cannot be read is left out.
    public init(_ object: ErrorObject) {
        self.init(
            code: ErrorCode(rawValue: object.code),
            message: object.message,
            data: object.data.flatMap { JSONValue(text: $0) }
        )
    }
}
