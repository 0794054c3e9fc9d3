/// Gives an instance's values now and a ``ViewModelChanged`` for each change from now on (protocol, sections 5 and 7).
///
/// A connection has one binding for an instance: binding again replaces it, and that is how a window is scrolled.
///
/// Errors: -32004 for an instance that is not there and is no default one; -32602 for an output or a window that the
/// type does not have, a negative `minInterval`, `offset` or `limit`.
public enum ViewModelBind: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.bind"

    /// What to bind.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id; any string, an unknown or ill-formed one is -32004.
        public var id: String
        /// The outputs' names; all when left out.
        public var outputs: [String]?
        /// The step at which the client's picture of the same outputs and windows stands.
        public var since: Since?
        /// The part of a list that is wanted, by the list's name.
        public var windows: [String: Window]?
        /// The least number of milliseconds between two notifications, 0 or more.
        public var minInterval: Int?
        /// Whether a changed list may come as a patch, true when left out; with false it comes whole, in `values`.
        public var patches: Bool?

        private enum CodingKeys: CodingKey {
            case id, outputs, since, windows, minInterval, patches
        }

        /// Creates params.
        public init(
            id: String,
            outputs: [String]? = nil,
            since: Since? = nil,
            windows: [String: Window]? = nil,
            minInterval: Int? = nil,
            patches: Bool? = nil
        ) {
            self.id = id
            self.outputs = outputs
            self.since = since
            self.windows = windows
            self.minInterval = minInterval
            self.patches = patches
        }

        /// Reads params and refuses a negative `minInterval`.
        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.id = try container.decode(String.self, forKey: .id)
            self.outputs = try container.decodeIfPresent([String].self, forKey: .outputs)
            self.since = try container.decodeIfPresent(Since.self, forKey: .since)
            self.windows = try container.decodeIfPresent([String: Window].self, forKey: .windows)
            self.minInterval = try container.decodeCountIfPresent(forKey: .minInterval)
            self.patches = try container.decodeIfPresent(Bool.self, forKey: .patches)
        }

        /// Writes params; what is nil is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(present: outputs, forKey: .outputs)
            try container.encode(present: since, forKey: .since)
            try container.encode(present: windows, forKey: .windows)
            try container.encode(present: minInterval, forKey: .minInterval)
            try container.encode(present: patches, forKey: .patches)
        }
    }

    /// The picture, or what changed in it since.
    public struct Result: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String
        /// The session's life in which `seq` counts.
        public var epoch: String
        /// The step at which the picture stands.
        public var seq: Int
        /// Whether `values` is the whole picture, and not only what changed after `since`.
        public var full: Bool
        /// The values, by the outputs' names.
        public var values: [String: JSONValue]
        /// What changed in lists, to be applied after `values`.
        public var patch: JSONPatch?
        /// What happened after `since`, in order.
        public var events: [OutputEvent]?
        /// How many older events were not kept.
        public var lost: Int?

        private enum CodingKeys: CodingKey {
            case id, epoch, seq, full, values, patch, events, lost
        }

        /// Creates a result.
        public init(
            id: String,
            epoch: String,
            seq: Int,
            full: Bool,
            values: [String: JSONValue],
            patch: JSONPatch? = nil,
            events: [OutputEvent]? = nil,
            lost: Int? = nil
        ) {
            self.id = id
            self.epoch = epoch
            self.seq = seq
            self.full = full
            self.values = values
            self.patch = patch
            self.events = events
            self.lost = lost
        }

        /// Writes a result; what is nil is left out.
        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(id, forKey: .id)
            try container.encode(epoch, forKey: .epoch)
            try container.encode(seq, forKey: .seq)
            try container.encode(full, forKey: .full)
            try container.encode(values, forKey: .values)
            try container.encode(present: patch, forKey: .patch)
            try container.encode(present: events, forKey: .events)
            try container.encode(present: lost, forKey: .lost)
        }
    }
}
