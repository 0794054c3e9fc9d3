/// A client's copy of an instance: the values of its bound outputs at a step (protocol, section 7).
///
/// The picture is a value without I/O. A client creates it from the reply to ``ViewModelBind`` and applies each frame.
/// It then equals the daemon's picture of the same outputs and windows.
public struct Picture: Equatable, Sendable {
    /// The instance's id.
    public private(set) var id: String
    /// The epoch in which ``seq`` counts.
    public private(set) var epoch: String
    /// The step of the picture.
    public private(set) var seq: Int
    /// The values of the outputs of kind `state` and `list`, by name.
    public private(set) var values: JSONObject

    /// Creates a picture from its parts.
    public init(id: String, epoch: String, seq: Int, values: JSONObject) {
        self.id = id
        self.epoch = epoch
        self.seq = seq
        self.values = values
    }

    package init(_ result: ViewModelRead.Result) {
        self.init(id: result.id, epoch: result.epoch, seq: result.seq, values: result.values)
    }

    /// Creates a picture from the reply to a bind that has the whole picture.
    package init(_ result: ViewModelBind.Result) {
        self.init(id: result.id, epoch: result.epoch, seq: result.seq, values: result.values)
    }

    /// The step of the picture, as ``ViewModelBind`` needs it to resume.
    package var since: Since { Since(epoch: epoch, seq: seq) }

    /// Returns the value of an output, or nil if the picture does not have it.
    public subscript(output: String) -> JSONValue? { values[output] }

    /// Applies the next frame of the binding.
    ///
    /// - Throws: ``JSONPatch/Failure`` if the patch does not fit. The picture is then unchanged, and the client must
    ///   bind again without `since`.
    @discardableResult
    package mutating func apply(_ frame: ViewModelChanged.Params) throws(JSONPatch.Failure) -> Change {
        let changed = frame.values ?? [:]
        values = try Self.following(values, changed, frame.patch)
        seq = frame.seq
        return Change(changed.keys, frame.patch, frame.splices, frame.events, frame.lost)
    }

    /// Applies the reply to a bind, with the whole picture or with the changes since this one.
    ///
    /// - Throws: ``JSONPatch/Failure`` if the patch does not fit. The picture is then unchanged.
    @discardableResult
    package mutating func apply(_ result: ViewModelBind.Result) throws(JSONPatch.Failure) -> Change {
        values = try Self.following(result.full ? [:] : values, result.values, result.patch)
        (id, epoch, seq) = (result.id, result.epoch, result.seq)
        return Change(result.values.keys, result.patch, result.splices, result.events, result.lost)
    }

    private static func following(
        _ values: JSONObject,
        _ changed: JSONObject,
        _ patch: JSONPatch?
    ) throws(JSONPatch.Failure) -> JSONObject {
        let next = values.merging(changed)
        guard let patch, !patch.operations.isEmpty else { return next }
        var document = JSONValue.object(next)
        try patch.apply(to: &document)
        guard case .object(let patched) = document else {
            throw JSONPatch.Failure(operation: 0, path: JSONPointer(tokens: []), reason: "it leaves no object")
        }
        return patched
    }
}

extension Picture {
    /// The changes that a frame, or the reply to a bind, has made to a picture, with its events.
    public struct Change: Equatable, Sendable {
        /// The names of the outputs that changed.
        public var outputs: Set<String>
        /// Where rows of lists came and went, in whole lists, by the names of the outputs.
        public var splices: [String: [ListSplice]] = [:]
        /// The events, in order.
        public var events: [OutputEvent]
        /// The number of earlier events that the daemon has dropped.
        public var lost: Int

        /// Creates a change.
        public init(outputs: Set<String> = [], events: [OutputEvent] = [], lost: Int = 0) {
            self.outputs = outputs
            self.events = events
            self.lost = lost
        }

        init(
            _ values: some Sequence<String>,
            _ patch: JSONPatch?,
            _ splices: [String: [ListSplice]]?,
            _ events: [OutputEvent]?,
            _ lost: Int?
        ) {
            self.init(outputs: Set(values), events: events ?? [], lost: lost ?? 0)
            self.splices = splices ?? [:]
            for path in patch?.paths ?? [] {
                if let output = path.tokens.first { outputs.insert(output) }
            }
        }

        /// Returns the sum of this change and the next one.
        package func followed(by next: Change) -> Change {
            var sum = Change(
                outputs: outputs.union(next.outputs),
                events: events + next.events,
                lost: lost + next.lost
            )
            sum.splices = splices.merging(next.splices) { $0 + $1 }
            return sum
        }
    }
}
