/// The method that ends a binding of this connection to an instance (protocol, section 5).
///
/// The daemon sends no frame of the binding after the reply. Without a binding the method has no effect. The error is
/// -32004 for an instance that does not exist.
public enum ViewModelUnbind: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.unbind"

    /// The params: the binding.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String
        /// The tag of the binding, or nil for the one without a tag.
        public var tag: BindingTag?

        /// Creates params.
        public init(id: String, tag: BindingTag? = nil) {
            self.id = id
            self.tag = tag
        }

        /// The instance and the tag.
        package var key: BindingKey { BindingKey(instance: id, tag: tag?.text) }
    }

    /// The result is null.
    public typealias Result = NoResult
}

extension ViewModelUnbind: DescribedMethod {
    package static var summary: String {
        "Ends a binding of this connection to an instance."
    }
    package static var paramsSchema: WireSchema { .object(["id": .string], optional: ["tag": .string]) }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [.invalidParams, .notFound, .sessionEnded] }
}
