/// Tells that a bound instance is gone, and its binding with it (protocol, section 5).
public enum ViewModelClosed: ProtocolNotification {
    /// The notification's name on the wire.
    public static let name = "viewModel.closed"

    /// Which instance.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String

        /// Creates params.
        public init(id: String) {
            self.id = id
        }
    }
}
