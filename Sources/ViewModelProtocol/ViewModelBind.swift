/// The method that returns an instance's values and starts a ``ViewModelChanged`` for each change (protocol, sections 5
/// and 7).
///
/// A connection has one binding for each instance and tag. A second bind replaces it; a client scrolls a window this way.
///
/// Errors:
/// - -32006 for one binding more than `limits.bindings`
/// - -32004 for an instance that does not exist and that a first mention does not create
/// - -32602 for an output or a window that the type does not have
/// - -32602 for a negative `minInterval`, `offset` or `limit`
public enum ViewModelBind: ProtocolMethod {
    /// The method's name on the wire.
    public static let name = "viewModel.bind"

    /// The params: the instance, its outputs and the options of the binding.
    public struct Params: Codable, Equatable, Sendable {
        /// The instance's id.
        ///
        /// Any string is valid; an unknown or malformed id is -32004.
        public var id: String
        /// The outputs' names, or nil for all outputs.
        public var outputs: [String]?
        /// The step of the client's picture of the same outputs and windows, to resume from.
        public var since: Since?
        /// The windows, by the names of their lists.
        public var windows: [String: Window]?
        /// The minimum number of milliseconds between two frames, 0 or more.
        public var minInterval: Int?
        /// Whether a changed list may come as a patch; nil means true.
        ///
        /// With false a changed list is always complete, in `values`.
        public var patches: Bool?
        /// The tag of the binding, or nil for the one without a tag.
        public var tag: BindingTag?
        /// Whether frames say where rows of the bound lists came and went; nil means false.
        public var splices: Bool?

        /// Creates params.
        public init(
            id: String,
            outputs: [String]? = nil,
            since: Since? = nil,
            windows: [String: Window]? = nil,
            minInterval: Int? = nil,
            patches: Bool? = nil,
            tag: BindingTag? = nil,
            splices: Bool? = nil
        ) {
            self.id = id
            self.outputs = outputs
            self.since = since
            self.windows = windows
            self.minInterval = minInterval
            self.patches = patches
            self.tag = tag
            self.splices = splices
        }

        /// The instance and the tag.
        package var key: BindingKey { BindingKey(instance: id, tag: tag?.text) }
    }

    /// The result: the picture, or its changes since a step.
    public struct Result: Codable, Equatable, Sendable {
        /// The instance's id.
        public var id: String
        /// The epoch in which `seq` counts.
        public var epoch: String
        /// The tag of the binding.
        public var tag: String?
        /// The step of the picture.
        public var seq: Int
        /// Whether the result has the whole picture, and not only the changes after `since`.
        public var full: Bool
        /// Where rows of lists came and went after `since`, in whole lists, by the names of the outputs.
        public var splices: [String: [ListSplice]]?
        /// The values, by the names of their outputs.
        public var values: JSONObject
        /// The changes of lists, to be applied after `values`.
        public var patch: JSONPatch?
        /// The events after `since`, in order.
        public var events: [OutputEvent]?
        /// The number of earlier events that the daemon has dropped.
        public var lost: Int?
    }
}

extension ViewModelBind: DescribedMethod {
    package static var summary: String {
        "Returns the current values of an instance, and sends a frame for each later change."
    }
    package static var scope: AccessScope { .observe }
    package static var errors: [ErrorCode] { [.invalidParams, .notFound, .limitExceeded, .sessionEnded] }
    package static var paramsSchema: WireSchema {
        .object(
            ["id": .string],
            optional: [
                "outputs": .array(.string), "since": Since.schema, "windows": .dictionary(Window.schema),
                "minInterval": .count, "patches": .boolean, "tag": .string, "splices": .boolean,
            ]
        )
    }
    package static var resultSchema: WireSchema {
        .object(
            ["id": .string, "epoch": .string, "seq": .count, "full": .boolean, "values": .dictionary(.any)],
            optional: [
                "tag": .string, "splices": .dictionary(.array(ListSplice.schema)), "patch": .array(.any),
                "events": .array(OutputEvent.schema), "lost": .count,
            ]
        )
    }
}

/// The step of a client's picture, from which the client resumes a binding (protocol, section 7).
public struct Since: Codable, Hashable, Sendable {
    /// The epoch in which the step counts; opaque.
    public var epoch: String
    /// The step's number, 0 or more.
    public var seq: Int

    /// Creates a reference to a step of an epoch.
    public init(epoch: String, seq: Int) {
        self.epoch = epoch
        self.seq = seq
    }

    static var schema: WireSchema {
        .object(["epoch": .string, "seq": .count])
    }
}

/// The rows of a list that a binding shows (protocol, section 7).
public struct Window: Codable, Hashable, Sendable {
    /// The index of the first row, 0 or more.
    ///
    /// An offset beyond the end gives no rows.
    public var offset: Int
    /// The maximum number of rows, 0 or more.
    public var limit: Int
    /// Whether the window of a binding moves with its first row; nil means false.
    ///
    /// The picture's `offset` then changes when rows come or go above. A read ignores it.
    public var anchor: Bool?

    /// Creates a window.
    ///
    /// The daemon rejects negative numbers.
    public init(offset: Int, limit: Int, anchor: Bool? = nil) {
        self.offset = offset
        self.limit = limit
        self.anchor = anchor
    }

    static var schema: WireSchema {
        .object(["offset": .count, "limit": .count], optional: ["anchor": .boolean])
    }
}
