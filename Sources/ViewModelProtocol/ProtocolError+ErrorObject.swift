extension ErrorObject {
    /// Creates the JSON-RPC error object of a protocol error.
    package init(_ error: ProtocolError) {
        self.init(error.code, message: error.message, data: error.data?.text)
    }
}

extension ProtocolError {
    /// Creates a protocol error from the error of a reply.
    ///
    /// Invalid JSON in `data` is dropped.
    package init(_ object: ErrorObject) {
        self.init(
            code: ErrorCode(rawValue: object.code),
            message: object.message,
            data: object.data.flatMap { JSONValue(text: $0) }
        )
    }
}
