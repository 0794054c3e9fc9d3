/// The calls of one member that had a retry key, so that a repeated call does not run again (protocol, section 6).
///
/// Keys are equal if their bytes are. The outcome of a call is an ``Execution`` for an action and a step number for an input.
struct RetryKeys<Outcome> {
    struct Call {
        /// A digest of the params, which shows whether a repeated call has the same ones; nil if it is not known.
        let parameters: [UInt8]?
        let outcome: Outcome
        /// The bytes that are counted for the call.
        var bytes: Int

        /// Returns whether a repeated call may have the same params.
        func hasParameters(of repeated: KeyedCall) -> Bool { parameters == nil || parameters == repeated.parameters }
    }

    /// The time for which a key is kept.
    private static var lifetime: Duration { .seconds(600) }
    /// The largest number of keys for one member.
    ///
    /// The oldest are removed first.
    private static var capacity: Int { 1024 }
    /// The largest number of bytes for one member.
    ///
    /// The oldest calls are removed first, and the newest one always stays.
    private static var byteCapacity: Int { 4 << 20 }
    /// The approximate bytes of a call, without its key and its outcome.
    private static var overhead: Int { 128 }

    private var calls: [[UInt8]: Call] = [:]
    private var order: [(key: [UInt8], seen: Duration)] = []
    /// The bytes of all calls.
    private(set) var bytes = 0

    mutating func call(of key: String, now: Duration) -> Call? {
        while let oldest = order.first, now - oldest.seen > Self.lifetime { forgetOldest() }
        return calls[Array(key.utf8)]
    }

    mutating func remember(_ call: KeyedCall, outcome: Outcome, now: Duration) {
        let key = Array(call.key.utf8)
        let call = Call(parameters: call.parameters, outcome: outcome, bytes: key.count + Self.overhead)
        calls[key] = call
        order.append((key, now))
        bytes += call.bytes
        shrink()
    }

    /// Counts the bytes of an outcome that became known after its call was added.
    mutating func grow(_ key: String, by count: Int) {
        let key = Array(key.utf8)
        guard calls[key] != nil else { return }
        calls[key]?.bytes += count
        bytes += count
        shrink()
    }

    /// Forgets the calls whose outcome satisfies a condition.
    mutating func forget(where isForgotten: (Outcome) -> Bool) {
        for (key, call) in calls where isForgotten(call.outcome) {
            bytes -= call.bytes
            calls[key] = nil
            order.removeAll { $0.key == key }
        }
    }

    /// Returns the calls whose outcome satisfies a condition.
    func calls(where isIncluded: (Outcome) -> Bool) -> [KeyedCall] {
        calls.filter { isIncluded($0.value.outcome) }.map { key, call in
            KeyedCall(key: String(decoding: key, as: UTF8.self), parameters: call.parameters)
        }
    }

    private mutating func shrink() {
        while order.count > 1, order.count > Self.capacity || bytes > Self.byteCapacity { forgetOldest() }
    }

    private mutating func forgetOldest() {
        let key = order.removeFirst().key
        bytes -= calls.removeValue(forKey: key)?.bytes ?? 0
    }
}

package struct KeyedCall: Sendable {
    package let key: String
    /// The digest of the params (``GraphHost/digest(of:key:)``); nil if it is not known, so that any params are accepted.
    package let parameters: [UInt8]?

    package init(key: String, parameters: [UInt8]?) {
        self.key = key
        self.parameters = parameters
    }
}

extension InvalidValue {
    /// The refusal of a call whose retry key was used with other params.
    package static var reusedKey: InvalidValue {
        InvalidValue(
            path: "/_meta/key",
            expected: "the same params as in the first call with this key",
            found: "other params"
        )
    }
}
