/// The method that ends this connection's binding to an instance (protocol, section 5).
///
/// The daemon sends no frame of the binding after the reply. Without a binding the method has no effect. The error is
/// -32004 for an instance that does not exist.
public enum ViewModelUnbind: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.unbind"

    /// The params: the instance.
    public typealias Params = InstanceParams

    /// The result is null.
    public typealias Result = NoResult
}

extension ViewModelUnbind: DescribedMethod {
    package static var summary: String {
        "Ends this connection's binding to an instance."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [.invalidParams, .notFound, .sessionEnded] }
}
