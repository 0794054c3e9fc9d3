import Glibc
import ViewModelProtocol

/// The time until which a caller waits, by the monotonic clock.
package struct Deadline: Sendable {
    private let end: ContinuousClock.Instant

    /// Creates a deadline that passes after a duration.
    package init(after limit: Duration) {
        end = .now + limit
    }

    /// Returns the deadline for the answer to statements with a time limit.
    ///
    /// The server has some time beyond the limit to report that it has passed. A connection without an answer until then is
    /// closed.
    static func answer(within limit: Duration) -> Deadline { Deadline(after: limit + min(limit / 4, .seconds(1))) }

    /// The time that is left, at least zero.
    package var remaining: Duration { max(end - .now, .zero) }

    package var hasPassed: Bool { remaining == .zero }

    /// Blocks until a socket is ready; returns false if the deadline passes first.
    func wait(for events: Int32, on descriptor: Int32) -> Bool {
        var descriptor = pollfd(fd: descriptor, events: Int16(events), revents: 0)
        while true {
            let count = poll(&descriptor, 1, Int32(clamping: remaining.wholeMilliseconds))
            if count > 0 { return true }
            if count == 0, hasPassed { return false }
            // A signal, or the clock of `poll` was ahead.
        }
    }
}
