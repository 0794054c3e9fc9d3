extension ConnectionStateMachine {
    /// The limits of a connection, from the configuration.
    struct Limits {
        /// The backlog above which no more messages are delivered.
        var bufferBytes: Int
        /// The time without progress after which a client that does not read is disconnected.
        var stall: Duration
    }

    /// The event that ends a pause of reading.
    enum Wait {
        /// The connection's next turn on its loop. A connection in this state is in the loop's queue once.
        case turn
        /// The end of a move between two sessions.
        case move
        /// A smaller backlog.
        case space
    }

    /// The owner's action on the socket after a delivery, or in a turn.
    enum ReadAction {
        case none
        /// Reading stops until the wait ends.
        case pause(Wait)
        /// Reading starts again.
        case resume
        /// The peer continues its batch, then ``turnContinues(_:at:)`` returns the kept bytes.
        case resumeBatch
        /// The kept bytes are received again.
        case receive([UInt8])
    }

    /// The next step after the end of the client's input.
    enum InputEndAction {
        case none
        /// A line feed is received, because the end of the stream ends the last line (protocol, section 1).
        case receiveLineFeed
        /// The peer is informed.
        case report
    }

    /// The time at which the owner flushes a written message.
    enum WriteAction {
        case none
        /// At the end of the burst.
        case flushLater
        case flush
    }

    /// Bytes to send.
    struct Outgoing: ~Copyable {
        var bytes: [UInt8]
        /// Whether they may be sent past the channel: it is active, and it has no write in flight.
        let isDirect: Bool
        /// Whether other connections may have the same array.
        ///
        /// Such a buffer is not reused.
        let isShared: Bool
    }

    /// The owner's action after a change of the channel's writability.
    enum WritabilityAction: Equatable {
        case none
        /// A client begins to lag. ``lagDeadline()`` is due after ``lagReportDelay``.
        case watchLag
        /// The peer may send frames. A lag that was reported has lasted this long.
        case ready(afterLag: Duration?)
    }
}
