import ViewModelClient

/// The line by which `viewmodelctl watch` tells a frame.
struct WatchLine: Encodable {
    /// The instance.
    let id: String
    /// The step after which the values are these.
    let seq: Int
    /// Whether `values` is the whole picture.
    let whole: Bool
    /// The outputs that changed, as they are now: a list whole, even where its change came as a patch.
    let values: [String: JSONValue]
    /// What happened, in order.
    let events: [OutputEvent]
    /// How many older events did not fit.
    let lost: Int

    init(_ update: BindingUpdate) {
        let change = update.change
        id = update.picture.id
        seq = update.picture.seq
        whole = update.isWhole
        values =
            update.isWhole
            ? update.picture.values : update.picture.values.filter { change.outputs.contains($0.key) }
        events = change.events
        lost = change.lost
    }
}
