extension Picture {
    /// What a frame, or the reply to a binding, changed in a picture and told beside it.
    public struct Change: Equatable, Sendable {
        /// The names of the outputs that changed.
        public var outputs: Set<String>
        /// What happened, in order.
        public var events: [OutputEvent]
        /// How many older events did not fit.
        public var lost: Int

        /// Creates a change.
        public init(outputs: Set<String> = [], events: [OutputEvent] = [], lost: Int = 0) {
            self.outputs = outputs
            self.events = events
            self.lost = lost
        }

        init(values: some Sequence<String>, patch: JSONPatch?, events: [OutputEvent]?, lost: Int?) {
            self.init(outputs: Set(values), events: events ?? [], lost: lost ?? 0)
            for path in patch?.paths ?? [] {
                if let output = path.tokens.first { outputs.insert(output) }
            }
        }

        /// The sum of this change and the next one.
        public func followed(by next: Change) -> Change {
            Change(
                outputs: outputs.union(next.outputs),
                events: events + next.events,
                lost: lost + next.lost
            )
        }
    }
}
