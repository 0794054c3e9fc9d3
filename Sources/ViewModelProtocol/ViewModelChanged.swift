/// A frame: what one step, or the sum of several, changed in a bound instance (protocol, section 7).
///
/// Applied in this order: each member of `values` replaces the member of that name in the picture, then `patch` is
/// applied to the picture, then `events` are told.
public enum ViewModelChanged: ProtocolNotification {
    /// The notification's name on the wire.
    public static let name = "viewModel.changed"

    /// The frame.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String
        /// The step at which the picture stands after this frame.
        public var seq: Int
        /// The outputs that have a new value.
        public var values: [String: JSONValue]?
        /// What changed in lists, to be applied to the picture after `values`.
        public var patch: JSONPatch?
        /// What happened, in order.
        public var events: [OutputEvent]?
        /// How many older events did not fit.
        public var lost: Int?

        private enum CodingKeys: CodingKey {
            case id, seq, values, patch, events, lost
        }

        /// Creates a frame.
        public init(
            id: String,
            seq: Int,
            values: [String: JSONValue]? = nil,
            patch: JSONPatch? = nil,
            events: [OutputEvent]? = nil,
            lost: Int? = nil
        ) {
            self.id = id
            self.seq = seq
            self.values = values
            self.patch = patch
            self.events = events
            self.lost = lost
        }

        /// Writes a frame; what is nil is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(seq, forKey: .seq)
            try container.encode(present: values, forKey: .values)
            try container.encode(present: patch, forKey: .patch)
            try container.encode(present: events, forKey: .events)
            try container.encode(present: lost, forKey: .lost)
        }
    }
}
