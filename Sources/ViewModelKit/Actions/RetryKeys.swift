/// Remembers calls by their retry key, so that a repeated one does not run again (protocol, section 6).
struct RetryKeys {
    /// How long a key is remembered.
    static var lifetime: Duration { .seconds(600) }
    /// Keys remembered for one action; the oldest go first.
    static var capacity: Int { 1024 }

    struct Call {
        let key: String
        let parameters: [UInt8]
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
        if order.count > Self.capacity {
            forget(before: order[order.count - Self.capacity].seen, atLeast: 1)
        }
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
