/// The method that creates an instance of a ViewModel type, or finds an existing one (protocol, section 5).
///
/// If `id` names an instance of the same type, the result is that instance, and the arguments are ignored.
///
/// Errors:
/// - -32004 for an unknown type
/// - -32602 for an `id` that is malformed, reserved, another type's name, or the id of another type's instance
/// - -32602 for a type that exists only as a child, and for a built-in type under another id than its own
/// - -32602 for arguments that the type does not accept
/// - -32006 if the session has `limits.instancesPerSession` instances
public enum ViewModelOpen: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.open"

    /// The params: the type, the id and the arguments.
    public struct Params: Codable, Equatable, Sendable {
        /// The type's name.
        public var type: String
        /// The instance's id, or nil for an id that the daemon derives from the type's name.
        public var id: InstanceID?
        /// The arguments of the new instance, an object.
        ///
        /// The type's contract defines its members.
        public var arguments: JSONValue?

        /// Creates params.
        public init(type: String, id: InstanceID? = nil, arguments: JSONValue? = nil) {
            self.type = type
            self.id = id
            self.arguments = arguments
        }

        /// Reads params; throws for arguments that are not an object.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.type = try container.decode(String.self, forKey: .type)
            self.id = try container.decodeIfPresent(InstanceID.self, forKey: .id)
            self.arguments = try container.decodeIfPresent(JSONValue.self, forKey: .arguments)
            switch arguments {
            case nil, .object: break
            case .some(let other):
                throw ValueMismatch(path: "/arguments", expected: "an object", found: ValueMismatch.describe(other))
            }
        }
    }

    /// The result: the instance.
    public struct Result: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String
        /// The name of its type.
        public var type: String
        /// Whether this call created the instance.
        public var created: Bool

        package init(id: String, type: String, created: Bool) {
            self.id = id
            self.type = type
            self.created = created
        }
    }
}

extension ViewModelOpen: DescribedMethod {
    package static var summary: String {
        "Creates an instance of a type, or returns the instance that has this id."
    }
    package static var scope: AccessScope { .act }
    package static var errors: [ErrorCode] { [.invalidParams, .notFound, .sessionEnded] }
    package static var paramsSchema: WireSchema {
        .object(["type": .string], optional: ["id": .string, "arguments": .dictionary(.any)])
    }
    package static var resultSchema: WireSchema {
        .object(["id": .string, "type": .string, "created": .boolean])
    }
}
