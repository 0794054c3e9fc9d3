/// Destroys an instance and its children (protocol, section 5).
///
/// Its actions are cancelled; connections that have bound it get ``ViewModelClosed``.
///
/// Errors: -32004 for an instance that is not there, even a default one not yet in being; -32602 for a built-in or a
/// child.
public enum ViewModelClose: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.close"

    /// Which instance.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String

        /// Creates params.
        public init(id: String) {
            self.id = id
        }
    }

    /// Nothing.
    public typealias Result = NoResult
}
