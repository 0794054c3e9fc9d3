/// Reads an instance's current values once; events have none and are left out (protocol, section 5).
///
/// Errors: -32004 for an instance that is not there and is no default one; -32602 for an output or a window that the
/// type does not have.
public enum ViewModelRead: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.read"

    /// What to read.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id; any string, an unknown or ill-formed one is -32004.
        public var id: String
        /// The outputs' names; all when left out.
        public var outputs: [String]?
        /// The part of a list that is wanted, by the list's name.
        public var windows: [String: Window]?

        private enum CodingKeys: CodingKey {
            case id, outputs, windows
        }

        /// Creates params.
        public init(id: String, outputs: [String]? = nil, windows: [String: Window]? = nil) {
            self.id = id
            self.outputs = outputs
            self.windows = windows
        }

        /// Writes params; what is nil is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(present: outputs, forKey: .outputs)
            try container.encode(present: windows, forKey: .windows)
        }
    }

    /// The values.
    public struct Result: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String
        /// The session's life in which `seq` counts.
        public var epoch: String
        /// The step at which these were the values.
        public var seq: Int
        /// The values, by the outputs' names.
        public var values: [String: JSONValue]

        /// Creates a result.
        public init(id: String, epoch: String, seq: Int, values: [String: JSONValue]) {
            self.id = id
            self.epoch = epoch
            self.seq = seq
            self.values = values
        }
    }
}
