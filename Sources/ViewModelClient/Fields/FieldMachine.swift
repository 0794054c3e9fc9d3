/// The state of a field: what its box shows, and what the client sends next (protocol, section 6, "Fields").
///
/// The type is a value without I/O. The owner reports each event and then asks ``nextAction()`` what to do. The rules:
///
/// - One request of the field is under way at a time. After its reply the newest value follows, and before a call of the
///   client it is sent at once, so that the call finds what was typed before it.
/// - While a value is unsent or under way, the box shows it.
/// - After the last reply the box shows the output. If frames were held back, or the input was refused, the client
///   reads the output first.
/// - After a reconnection the client sends the newest unanswered value again.
/// - In a new session it sends again what the person still sees, if the person has typed it.
struct FieldMachine<Value: Equatable & Sendable>: Sendable {
    /// A thing for the owner to do.
    enum Action: Equatable {
        /// Send the value to the input, and report the reply.
        case send(Value)
        /// Read the output, and report it.
        case read
    }

    enum Phase: Equatable {
        /// The output is not known on this connection.
        case waiting
        /// No request is under way.
        case idle
        /// The input's reply is outstanding.
        case sending
        /// The input was answered, but the output must be read.
        case answered
        /// The reply to the reading is outstanding.
        case reading
        /// The field has ended.
        case ended
    }

    private(set) var phase = Phase.waiting
    /// The latest known output.
    private(set) var output: Value?
    /// The newest value, if it was not sent.
    private(set) var unsent: Value?
    /// The value that was sent last, until the box shows the output again.
    private(set) var sent: Value?
    /// What became of the person's last value, as long as the ViewModel leaves it.
    private var own: Value?
    /// The number of replies that count no more, because a newer value was sent before they came.
    private var outdated = 0
    /// The refusal of the last value, or the end of the field.
    var failure: ClientError?

    /// The value that the box shows, or nil before the first output.
    var shown: Value? { unsent ?? sent ?? output }

    /// Whether the box shows the output.
    var isSettled: Bool { phase == .idle && unsent == nil }

    /// Takes a value from the person.
    mutating func edit(_ value: Value) {
        if phase != .ended { failure = nil }
        guard value != shown else { return }
        unsent = value
    }

    /// Returns what to do next, and regards it as done; nil if there is nothing.
    mutating func nextAction() -> Action? {
        switch phase {
        case .idle, .answered:
            if let value = unsent.take() {
                sent = value
                phase = .sending
                return .send(value)
            }
            guard phase == .answered else { return nil }
            phase = .reading
            return .read
        case .waiting, .sending, .reading, .ended:
            return nil
        }
    }

    /// Returns the newest value to send before a call, and regards it as sent; nil if there is nothing unsent.
    mutating func valueBeforeCall() -> Value? {
        if phase == .waiting || phase == .ended { return nil }
        guard let value = unsent.take() else { return nil }
        if phase == .sending { outdated += 1 }
        (sent, phase) = (value, .sending)
        return value
    }

    /// Handles the reply to the input; the output that the client knows may be older if frames were held.
    mutating func inputAnswered(isHeld: Bool) {
        guard phase == .sending else { return }
        if outdated > 0 {
            outdated -= 1
        } else if isHeld {
            phase = .answered
        } else {
            phase = .idle
            sent = nil
            own = output
        }
    }

    /// Handles the refusal of the input.
    mutating func inputRefused(_ error: ClientError) {
        if unsent == nil, outdated == 0 { failure = error }
        inputAnswered(isHeld: true)
    }

    /// Handles the reply to the reading; nil if the reading was refused.
    mutating func outputRead(_ value: Value?) {
        guard phase == .reading else { return }
        if let value { output = value }
        sent = nil
        own = failure == nil ? output : nil
        phase = .idle
    }

    /// Handles a frame that changed the output.
    mutating func outputChanged(_ value: Value) {
        output = value
        if phase == .idle { own = nil }
    }

    mutating func disconnected() {
        switch phase {
        case .ended: return
        case .sending:
            unsent = unsent ?? sent
            sent = nil
        case .waiting, .idle, .answered, .reading: break
        }
        (phase, outdated) = (.waiting, 0)
    }

    /// Handles a refusal that comes with the end of the connection: the value counts as unanswered.
    mutating func postponed() {
        if phase == .sending { disconnected() }
    }

    /// Handles the picture of a new or resumed binding, perhaps in a session that has begun anew.
    mutating func restored(_ value: Value, isNewSession: Bool = false) {
        output = value
        guard phase == .waiting else { return }
        if isNewSession, unsent == nil, let seen = sent ?? own, seen != value { unsent = seen }
        if own != value { own = nil }
        sent = nil
        phase = .idle
    }

    /// Ends the field.
    ///
    /// The box keeps what it shows.
    mutating func end(_ error: ClientError) {
        phase = .ended
        failure = error
    }
}
