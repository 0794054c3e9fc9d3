/// The method that returns an instance's current values once (protocol, section 5).
///
/// Events have no current value and are omitted.
///
/// Errors:
/// - -32004 for an instance that does not exist and that a first mention does not create
/// - -32602 for an output or a window that the type does not have
public enum ViewModelRead: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.read"

    /// The params: the instance, its outputs and windows.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id.
        ///
        /// Any string is valid; an unknown or malformed id is -32004.
        public var id: String
        /// The outputs' names, or nil for all outputs.
        public var outputs: [String]?
        /// The windows, by the names of their lists.
        public var windows: [String: Window]?

        /// Creates params.
        public init(id: String, outputs: [String]? = nil, windows: [String: Window]? = nil) {
            self.id = id
            self.outputs = outputs
            self.windows = windows
        }
    }

    /// The result: the values and their step.
    public struct Result: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String
        /// The epoch in which `seq` counts.
        public var epoch: String
        /// The step of the values.
        public var seq: Int
        /// The values, by the names of their outputs.
        public var values: JSONObject
    }
}

extension ViewModelRead: DescribedMethod {
    package static var summary: String {
        "Returns the current values of an instance."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [.invalidParams, .notFound, .sessionEnded] }
    package static var paramsSchema: WireSchema {
        .object(["id": .string], optional: ["outputs": .array(.string), "windows": .dictionary(Window.schema)])
    }
    package static var resultSchema: WireSchema {
        .object(["id": .string, "epoch": .string, "seq": .count, "values": .dictionary(.any)])
    }
}
