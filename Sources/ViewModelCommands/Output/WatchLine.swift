import ViewModelClient

/// The line by which `viewmodelctl watch` tells a frame.
struct WatchLine: Encodable {
    /// The instance.
    let id: String
    /// The step after which the values are these.
    let seq: Int
    /// Whether `values` is the whole picture.
    let full: Bool
    /// The outputs that changed, as they are now: a list whole, even where its change came as a patch.
    ///
    /// A `JSONValue` sorts its members, so that equal frames are equal lines.
    let values: JSONValue
    /// What happened, in order.
    let events: [OutputEvent]
    /// How many older events did not fit.
    let lost: Int

    init(_ update: BindingUpdate) {
        let change = update.change
        id = update.picture.id
        seq = update.picture.seq
        full = update.isFull
        values = .object(
            update.isFull
                ? update.picture.values : update.picture.values.filter { change.outputs.contains($0.key) }
        )
        events = change.events
        lost = change.lost
    }
}
