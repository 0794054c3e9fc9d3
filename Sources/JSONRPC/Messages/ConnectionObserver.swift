/// An observer of the messages of one connection.
package typealias ConnectionObserver = @Sendable (ObservedEvent) -> Void

/// An event that the observer of a connection is called with.
package enum ObservedEvent {
    /// A message of the client.
    case received(Bytes)
    /// Input of the client that is not a message, and why.
    case unreadable(String)
    /// A message to the client.
    case sent([UInt8])
    /// The end of the connection.
    case closed

    /// Creates the event for a part of the client's input.
    package init(_ event: MessageFraming.Event) {
        self =
            switch event {
            case .message(let message): .received(message)
            case .tooLarge: .unreadable("too large")
            case .emptyBody: .unreadable("an empty body")
            case .malformedHeader: .unreadable("a malformed header")
            }
    }
}
