/// The notification that a bound instance was closed and its binding has ended (protocol, section 5).
public enum ViewModelClosed: ProtocolNotification {
    /// The notification's name on the wire.
    public static let name = "viewModel.closed"

    /// The params: the instance.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String

        /// Creates params.
        public init(id: String) {
            self.id = id
        }
    }
}

extension ViewModelClosed: DescribedNotification {
    package static var summary: String {
        "A bound instance is no more."
    }
    package static var paramsSchema: WireSchema {
        .object([.required("id", .string)])
    }
}
