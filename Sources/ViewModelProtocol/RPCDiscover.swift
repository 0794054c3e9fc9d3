/// Describes all that the daemon hosts as an OpenRPC document (protocol, section 9).
///
/// Takes no params. Errors: none of its own.
public enum RPCDiscover: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "rpc.discover"

    /// There are none.
    public typealias Params = NoParams

    /// The document.
    public typealias Result = JSONValue
}
