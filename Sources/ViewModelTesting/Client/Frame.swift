/// The changes of an instance in one step, or in several merged steps, as sent on the wire (protocol, section 7).
public struct Frame: Equatable, Sendable {
    /// The params of the notification.
    let params: ViewModelChanged.Params

    /// The instance's id.
    public var instance: String { params.id }
    /// The tag of the binding; nil for the one without a tag.
    public var tag: String? { params.tag }
    /// The step of the instance's picture after this frame.
    public var seq: Int { params.seq }
    /// Where rows came and went, in whole lists, by the names of their outputs.
    public var splices: [String: [ListSplice]] { params.splices ?? [:] }
    /// The new values of outputs.
    public var values: JSONObject { params.values ?? [:] }
    /// The edits of lists, which are applied after `values`.
    ///
    /// A frame without edits has nil here.
    public var patch: JSONPatch? { params.patch }
    /// The events, in order.
    public var events: [OutputEvent] { params.events ?? [] }
    /// The number of older events that were dropped.
    public var lost: Int { params.lost ?? 0 }

    init(_ params: ViewModelChanged.Params) {
        self.params = params
    }

    /// Creates a frame.
    public init(
        instance: String,
        seq: Int,
        values: JSONObject = [:],
        patch: JSONPatch? = nil,
        events: [OutputEvent] = [],
        lost: Int = 0
    ) {
        params = ViewModelChanged.Params(
            id: instance,
            seq: seq,
            values: values.isEmpty ? nil : values,
            patch: patch,
            events: events.isEmpty ? nil : events,
            lost: lost == 0 ? nil : lost
        )
    }

    /// The names of the outputs with a value, an edit or an event in this frame.
    public var outputs: Set<String> {
        var names = Set(values.keys)
        names.formUnion(patch?.paths.compactMap(\.tokens.first) ?? [])
        names.formUnion(events.map(\.output))
        return names
    }
}
