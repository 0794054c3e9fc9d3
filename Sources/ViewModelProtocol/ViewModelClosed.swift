/// The notification that a bound instance was closed and its binding has ended (protocol, section 5).
package enum ViewModelClosed: ProtocolNotification {
    /// The notification's name on the wire.
    package static let name = "viewModel.closed"

    /// The params: the instance.
    package struct Params: Codable, Equatable, Sendable {
        /// The instance's id.
        package var id: String

        /// Creates params.
        package init(id: String) {
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
