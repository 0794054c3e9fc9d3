/// What one step, or the sum of several, changed in an instance, as it crossed the wire (protocol, section 7).
public struct Frame: Equatable, Sendable {
    /// The instance's id.
    public var instance: String
    /// The step at which the instance stands after it.
    public var seq: Int
    /// The outputs that have a new value.
    public var values: [String: JSONValue]
    /// What changed in lists, to be applied after `values`; nil where none is told by its changes.
    public var patch: JSONPatch?
    /// What happened, in order.
    public var events: [OutputEvent]
    /// How many older events did not fit.
    public var lost: Int

    /// Makes a frame by hand.
    public init(
        instance: String,
        seq: Int,
        values: [String: JSONValue] = [:],
        patch: JSONPatch? = nil,
        events: [OutputEvent] = [],
        lost: Int = 0
    ) {
        self.instance = instance
        self.seq = seq
        self.values = values
        self.patch = patch
        self.events = events
        self.lost = lost
    }

    /// The names of the outputs that it tells of: in values, in the patch, as events.
    public var outputs: Set<String> {
        var names = Set(values.keys)
        names.formUnion(patch?.paths.compactMap(\.tokens.first) ?? [])
        names.formUnion(events.map(\.output))
        return names
    }

    init(_ params: ViewModelChanged.Params) {
        self.init(
            instance: params.id,
            seq: params.seq,
            values: params.values ?? [:],
            patch: params.patch,
            events: params.events ?? [],
            lost: params.lost ?? 0
        )
    }

    /// The notification that carries the frame.
    var params: ViewModelChanged.Params {
        ViewModelChanged.Params(
            id: instance,
            seq: seq,
            values: values.isEmpty ? nil : values,
            patch: patch,
            events: events.isEmpty ? nil : events,
            lost: lost == 0 ? nil : lost
        )
    }
}
