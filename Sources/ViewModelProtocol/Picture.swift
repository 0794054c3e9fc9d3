/// What a client knows of an instance: the values of the outputs that it has bound, at a step (protocol, section 7).
///
/// A value without I/O: made from the reply to ``ViewModelBind``, it follows from frame to frame and stays equal to
/// the daemon's picture of the same outputs and windows.
public struct Picture: Equatable, Sendable {
    /// The instance's id.
    public private(set) var id: String
    /// The session's life in which ``seq`` counts.
    public private(set) var epoch: String
    /// The step at which the picture stands.
    public private(set) var seq: Int
    /// The values of the outputs of kind `state` and `list`, by name.
    public private(set) var values: [String: JSONValue]

    /// Creates a picture from its parts.
    public init(id: String, epoch: String, seq: Int, values: [String: JSONValue]) {
        self.id = id
        self.epoch = epoch
        self.seq = seq
        self.values = values
    }

    /// Creates a picture from what was read once.
    public init(_ result: ViewModelRead.Result) {
        self.init(id: result.id, epoch: result.epoch, seq: result.seq, values: result.values)
    }

    /// Creates a picture from a binding's reply that has it whole.
    public init(_ result: ViewModelBind.Result) {
        self.init(id: result.id, epoch: result.epoch, seq: result.seq, values: result.values)
    }

    /// The step at which the picture stands, to resume a binding there.
    public var since: Since { Since(epoch: epoch, seq: seq) }

    /// The value of an output.
    public subscript(output: String) -> JSONValue? { values[output] }

    /// Follows a frame.
    ///
    /// - Throws: ``JSONPatch/Failure`` where the patch does not fit; the picture is what it was then, and the way on
    ///   is to bind again without `since`.
    @discardableResult
    public mutating func apply(_ frame: ViewModelChanged.Params) throws(JSONPatch.Failure) -> Change {
        let changed = frame.values ?? [:]
        values = try Self.following(values, changed, frame.patch)
        seq = frame.seq
        return Change(values: changed.keys, patch: frame.patch, events: frame.events, lost: frame.lost)
    }

    /// Follows the reply to a binding, whether it has the whole picture or what changed since this one.
    ///
    /// - Throws: ``JSONPatch/Failure`` where the patch does not fit; the picture is what it was then.
    @discardableResult
    public mutating func apply(_ result: ViewModelBind.Result) throws(JSONPatch.Failure) -> Change {
        values = try Self.following(result.full ? [:] : values, result.values, result.patch)
        (id, epoch, seq) = (result.id, result.epoch, result.seq)
        return Change(values: result.values.keys, patch: result.patch, events: result.events, lost: result.lost)
    }

    private static func following(
        _ values: [String: JSONValue],
        _ changed: [String: JSONValue],
        _ patch: JSONPatch?
    ) throws(JSONPatch.Failure) -> [String: JSONValue] {
        let next = values.merging(changed) { _, new in new }
        guard let patch, !patch.operations.isEmpty else { return next }
        var document = JSONValue.object(next)
        try patch.apply(to: &document)
        guard case .object(let patched) = document else {
            throw JSONPatch.Failure(operation: 0, path: JSONPointer(tokens: []), reason: "it leaves no object")
        }
        return patched
    }
}
