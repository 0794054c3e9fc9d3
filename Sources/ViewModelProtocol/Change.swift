extension Picture {
    /// The changes that a frame, or the reply to a bind, has made to a picture, with its events.
    public struct Change: Equatable, Sendable {
        /// The names of the outputs that changed.
        public var outputs: Set<String>
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

        init(values: some Sequence<String>, patch: JSONPatch?, events: [OutputEvent]?, lost: Int?) {
            self.init(outputs: Set(values), events: events ?? [], lost: lost ?? 0)
            for path in patch?.paths ?? [] {
                if let output = path.tokens.first { outputs.insert(output) }
            }
        }

        /// Returns the sum of this change and the next one.
        package func followed(by next: Change) -> Change {
            Change(
                outputs: outputs.union(next.outputs),
                events: events + next.events,
                lost: lost + next.lost
            )
        }
    }
}
