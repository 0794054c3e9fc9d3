/// The method that lists the session's instances in order of creation, with built-ins and children (protocol, section
/// 5).
///
/// It has no params and no specific errors.
public enum ViewModelList: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.list"

    /// The method has no params.
    public typealias Params = NoParams

    /// The result: the instances.
    public struct Result: Codable, Equatable, Sendable {
        /// The instances, one entry each.
        public var instances: [Entry]

        package init(instances: [Entry]) {
            self.instances = instances
        }
    }

    /// An instance of the session.
    public struct Entry: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String
        /// The name of its type.
        public var type: String

        package init(id: String, type: String) {
            self.id = id
            self.type = type
        }
    }
}

extension ViewModelList: DescribedMethod {
    package static var summary: String {
        "Lists the instances of the session in the order of their creation."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [.invalidParams, .sessionEnded] }
    package static var resultSchema: WireSchema {
        let entry = WireSchema.object(["id": .string, "type": .string])
        return .object(["instances": .array(entry)])
    }
}
