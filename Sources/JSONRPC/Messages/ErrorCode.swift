/// The code of an error object (JSON-RPC 2.0, section 5.1).
///
/// The set is open: other modules add their codes as statics.
public struct ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The number on the wire.
    public var rawValue: Int

    /// Creates a code.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The message is not JSON (JSON-RPC 2.0, section 5.1).
    public static let parseError = ErrorCode(rawValue: -32700)
    /// The message is JSON, but not a valid request.
    public static let invalidRequest = ErrorCode(rawValue: -32600)
    /// The method does not exist.
    public static let methodNotFound = ErrorCode(rawValue: -32601)
    /// The params do not fit the method.
    public static let invalidParams = ErrorCode(rawValue: -32602)
    /// The server has failed internally.
    public static let internalError = ErrorCode(rawValue: -32603)
}
