import NIOCore

/// A message that is logged once a minute at most, however often its cause occurs.
///
/// A value without I/O.
struct RareMessage {
    private var next = NIODeadline.uptimeNanoseconds(0)

    /// Returns whether the message is due, and counts it as logged.
    mutating func isDue() -> Bool {
        guard next <= .now() else { return false }
        next = .now() + .minutes(1)
        return true
    }
}
