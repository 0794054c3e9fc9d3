/// Remembers calls by their retry key, so that a repeated one does not run again (protocol, section 6).
///
/// The outcome of a call is an ``Execution`` for an action and a step number for an input.
struct RetryKeys<Outcome> {
    struct Call {
        /// A digest: what counts is whether a repeated call has the same params.
        let parameters: Int
        let outcome: Outcome
        /// The bytes that are remembered for the call.
        var bytes: Int
    }

    /// How long a key is remembered.
    private static var taskScope: Duration { .seconds(600) }
    /// Keys remembered for one member; the oldest go first.
    private static var capacity: Int { 1024 }
    /// Bytes of outcomes remembered for one member; the oldest go first.
    private static var byteCapacity: Int { 4 << 20 }
    /// What a call takes beside its key and its outcome, about.
    private static var overhead: Int { 128 }

    private var calls: [String: Call] = [:]
    private var order: [(key: String, seen: Duration)] = []
    /// The bytes of all remembered calls.
    private(set) var bytes = 0

    mutating func call(of key: String, now: Duration) -> Call? {
        while let oldest = order.first, now - oldest.seen > Self.taskScope { forgetOldest() }
        return calls[key]
    }

    mutating func remember(_ key: String, parameters: Int, outcome: Outcome, now: Duration) {
        let call = Call(parameters: parameters, outcome: outcome, bytes: key.utf8.count + Self.overhead)
        calls[key] = call
        order.append((key, now))
        bytes += call.bytes
        shrink()
    }

    /// Counts the bytes of an outcome that became known after its call was remembered.
    mutating func grow(_ key: String, by count: Int) {
        guard calls[key] != nil else { return }
        calls[key]?.bytes += count
        bytes += count
        shrink()
    }

    mutating func forgetAll() {
        while !order.isEmpty { forgetOldest() }
    }

    /// What two calls have to have in common, as far as params go.
    static func digest(_ parameters: [UInt8]) -> Int {
        var hasher = Hasher()
        parameters.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private mutating func shrink() {
        while order.count > 1, order.count > Self.capacity || bytes > Self.byteCapacity { forgetOldest() }
    }

    private mutating func forgetOldest() {
        let key = order.removeFirst().key
        bytes -= calls.removeValue(forKey: key)?.bytes ?? 0
    }
}

extension InvalidValue {
    /// The refusal of a call whose retry key was used with other params before.
    static var reusedKey: InvalidValue {
        InvalidValue(
            path: "/_meta/key",
            expected: "the same params as in the first call with this key",
            found: "other params"
        )
    }
}
