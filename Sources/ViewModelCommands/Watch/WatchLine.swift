import ViewModelClient

struct WatchLine: Encodable {
    let id: String
    /// The number of the step that led to these values.
    let seq: Int
    /// Whether `values` contains the whole picture.
    let full: Bool
    /// The current values of the changed outputs in the declared order; a list is whole even if the frame has a patch
    /// for it.
    let values: JSONValue
    let events: [OutputEvent]
    /// The number of older events that were dropped.
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
