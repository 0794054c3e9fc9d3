/// Lists the session's instances in order of creation, children and built-ins included (protocol, section 5).
///
/// Takes no params. Errors: none of its own.
public enum ViewModelList: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.list"

    /// There are none.
    public typealias Params = NoParams

    /// The instances.
    public struct Result: Codable, Equatable, Sendable {
        /// One entry an instance.
        public var instances: [Entry]

        /// Creates a result.
        public init(instances: [Entry]) {
            self.instances = instances
        }
    }

    /// An instance of the session.
    public struct Entry: Codable, Equatable, Sendable {
        /// Its id.
        public var id: String
        /// Its type's name.
        public var type: String

        private enum CodingKeys: CodingKey {
            case id, type
        }

        /// Creates an entry.
        public init(id: String, type: String) {
            self.id = id
            self.type = type
        }

        /// Reads an entry, and lets pass what a newer daemon may say beside it.
        public init(from decoder: any Decoder) throws {
            decoder.takeUnknownMembers()
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.id = try container.decode(String.self, forKey: .id)
            self.type = try container.decode(String.self, forKey: .type)
        }
    }
}
