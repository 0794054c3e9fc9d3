/// The notification that cancels a request of the same connection (protocol, section 6).
///
/// The cancelled request is answered with -32800. The daemon ignores the id of a request that has ended or never
/// existed.
public enum CancelRequest: ProtocolNotification {
    /// The notification's name on the wire.
    public static let name = "$/cancelRequest"

    /// The params: the request to cancel.
    public struct Params: Codable, Equatable, Sendable {
        /// The request's id: a string, a number with its original text, or null.
        public var id: RequestID

        private enum CodingKeys: CodingKey {
            case id
        }

        /// Creates params.
        public init(id: RequestID) {
            self.id = id
        }

        /// Reads params; throws for a value that cannot be the id of a request.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            let value = try container.decode(JSONValue.self, forKey: .id)
            guard let id = RequestID(value) else {
                throw ValueMismatch(
                    path: "/id",
                    expected: "a string, a number or null",
                    found: ValueMismatch.describe(value)
                )
            }
            self.id = id
        }

        /// Writes params.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(JSONValue(id), forKey: .id)
        }
    }
}
