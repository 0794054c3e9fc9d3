/// The method that closes an instance and its children (protocol, section 5).
///
/// The daemon cancels their actions. Each connection with a binding to a closed instance gets ``ViewModelClosed``.
///
/// Errors:
/// - -32004 for an instance that does not exist, including a default instance that was not created yet
/// - -32602 for a built-in instance or a child
public enum ViewModelClose: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.close"

    /// The params: the instance.
    public typealias Params = InstanceParams

    /// The result is null.
    public typealias Result = NoResult
}

extension ViewModelClose: DescribedMethod {
    package static var summary: String {
        "Closes an instance and its children, and cancels their actions."
    }
    package static var scope: AccessScope { .act }
    package static var errors: [ErrorCode] { [.invalidParams, .notFound, .sessionEnded] }
}
