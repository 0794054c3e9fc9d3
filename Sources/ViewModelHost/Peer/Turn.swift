/// A connection's turn on the loop, after which its next messages wait (protocol, section 2).
///
/// The rest of a batch waits for the next turn.
package struct Turn {
    private let end: Duration
    /// The last reading of the clock, and the number of messages since then.
    private var read: Duration
    private var unread = 0
    /// The number of messages for each reading of the clock.
    ///
    /// It is 1 while messages are slow.
    private var interval = 1

    /// Begins a turn with a maximum length.
    package init(at now: Duration, of length: Duration) {
        read = now
        end = now + length
    }

    /// Makes ``isOver(_:)`` read the clock after the current message, which may be slow.
    mutating func readClockSoon() {
        unread = interval
    }

    /// Checks after a message whether the turn is over.
    ///
    /// Reading the clock costs as much as a tenth of a small message. The clock is read for every eighth message while
    /// messages take less than 100 µs on average, else for each one.
    mutating func isOver(_ loop: any SessionLoop) -> Bool {
        unread += 1
        guard unread >= interval else { return false }
        let now = loop.now
        interval = now - read < .microseconds(100) * unread ? 8 : 1
        read = now
        unread = 0
        return now >= end
    }
}
