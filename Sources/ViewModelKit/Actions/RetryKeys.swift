/// Remembers calls by their retry key, so that a repeated one does not run again (protocol, section 6).
struct RetryKeys {
    /// How long a key is remembered.
    static var lifetime: Duration { .seconds(600) }
    /// Keys remembered for one action; the oldest go first.
    static var capacity: Int { 1024 }

    /// Bytes of outcomes remembered for one action; the oldest go first, too.
    static var outcomeBytes: Int { 4 << 20 }

    struct Call {
        let key: String
        /// A digest: what counts is whether a repeated call has the same params.
        let parameters: Int
        let execution: Execution
        let seen: Duration
    }

    private var calls: [String: Call] = [:]
    private var order: [(key: String, seen: Duration)] = []

    mutating func call(of key: String, now: Duration) -> Call? {
        forget(before: now - Self.lifetime)
        return calls[key]
    }

    mutating func remember(_ call: Call) {
        calls[call.key] = call
        order.append((call.key, call.seen))
        var bytes = 0
        var kept = 0
        for entry in order.reversed() {
            bytes += calls[entry.key]?.execution.outcomeBytes ?? 0
            guard kept < Self.capacity, bytes <= Self.outcomeBytes else { break }
            kept += 1
        }
        forget(before: .zero, atLeast: order.count - max(kept, 1))
    }

    /// What two calls have to have in common, as far as params go.
    static func digest(_ parameters: [UInt8]) -> Int {
        var hasher = Hasher()
        parameters.withUnsafeBytes { hasher.combine(bytes: $0) }
        return hasher.finalize()
    }

    private mutating func forget(before time: Duration, atLeast: Int = 0) {
        var expired = 0
        while expired < order.count, order[expired].seen < time || expired < atLeast {
            calls[order[expired].key] = nil
            expired += 1
        }
        order.removeFirst(expired)
    }
}
