/// The method that describes the hosted types as an OpenRPC document (protocol, section 9).
///
/// It has no params and no specific errors.
public enum RPCDiscover: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "rpc.discover"

    /// The method has no params.
    public typealias Params = NoParams

    /// The OpenRPC document.
    public typealias Result = JSONValue
}

extension RPCDiscover: DescribedMethod {
    package static var summary: String {
        "Returns this document."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [.invalidParams] }
    package static var resultSchema: WireSchema {
        .dictionary(.any)
    }
}
