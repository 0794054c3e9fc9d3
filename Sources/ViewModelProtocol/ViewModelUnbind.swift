/// Ends this connection's binding of an instance (protocol, section 5).
///
/// No frame of the binding is sent after the reply. Errors: -32004 for an instance that is not there.
public enum ViewModelUnbind: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.unbind"

    /// Which instance.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id; any string, an unknown or ill-formed one is -32004.
        public var id: String

        /// Creates params.
        public init(id: String) {
            self.id = id
        }
    }

    /// Nothing.
    public typealias Result = NoResult
}
