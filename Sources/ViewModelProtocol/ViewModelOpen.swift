/// Makes an instance of a ViewModel type, or finds it (protocol, section 5).
///
/// An `id` that already names an instance of the same type returns it; the arguments are not applied then.
///
/// Errors: -32004 for an unknown type; -32602 for an `id` of the wrong shape, one that names an instance of another
/// type or is another type's name, a reserved one, a child's type, a built-in type under an id not its own, and for
/// arguments that the type does not take; -32006 where the session has `limits.instancesPerSession` instances.
public enum ViewModelOpen: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.open"

    /// What to make.
    public struct Params: Codable, Equatable, Sendable {
        /// The type's name.
        public var type: String
        /// The instance's id; a fresh one when left out.
        public var id: InstanceID?
        /// What the type takes to be made, an object; the contract of the type says which members.
        public var arguments: JSONValue?

        private enum CodingKeys: CodingKey {
            case type, id, arguments
        }

        /// Creates params.
        public init(type: String, id: InstanceID? = nil, arguments: JSONValue? = nil) {
            self.type = type
            self.id = id
            self.arguments = arguments
        }

        /// Reads params and refuses arguments that are no object.
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

        /// Writes params; what is nil is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(type, forKey: .type)
            try container.encode(present: id, forKey: .id)
            try container.encode(present: arguments, forKey: .arguments)
        }
    }

    /// The instance.
    public struct Result: Codable, Equatable, Sendable {
        /// Its id.
        public var id: String
        /// Its type's name.
        public var type: String
        /// Whether it was made just now.
        public var created: Bool

        /// Creates a result.
        public init(id: String, type: String, created: Bool) {
            self.id = id
            self.type = type
            self.created = created
        }
    }
}
