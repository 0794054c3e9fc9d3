/// The changes of an instance in one step, or in several merged steps, as sent on the wire (protocol, section 7).
public struct Frame: Equatable, Sendable {
    /// The instance's id.
    public var instance: String
    /// The step of the instance's picture after this frame.
    public var seq: Int
    /// The new values of outputs.
    public var values: JSONObject
    /// The edits of lists, which are applied after `values`.
    ///
    /// A frame without edits has nil here.
    public var patch: JSONPatch?
    /// The events, in order.
    public var events: [OutputEvent]
    /// The number of older events that were dropped.
    public var lost: Int

    /// Creates a frame.
    public init(
        instance: String,
        seq: Int,
        values: JSONObject = [:],
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

    /// The names of the outputs with a value, an edit or an event in this frame.
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

    /// The params of the notification for this frame.
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
