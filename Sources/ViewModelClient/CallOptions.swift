import ViewModelProtocol

/// The options of one call: its deadline, its retry key and its time limit.
///
/// ```swift
/// try await client.run(action: "sendList.add", options: .retrying)
/// ```
public struct CallOptions: Hashable, Sendable {
    /// The time after which the daemon cancels the action, or nil for none.
    ///
    /// The daemon counts from the receipt of the call and answers -32008. An input ignores it.
    public var deadline: Duration?
    /// The retry key, at most 128 bytes, or nil for none.
    ///
    /// A call with a key that is under way when the connection breaks is repeated after the reconnection. The daemon
    /// runs it once: if it has seen the key within the last ten minutes, it returns the outcome of the first call.
    public var key: String?
    /// The time after which the client gives up and cancels the call, or nil for the default of the kind of call.
    ///
    /// An action has no time limit by default. Any other call has ``ClientOptions/timeout``.
    public var timeout: Duration?

    /// Creates options.
    public init(deadline: Duration? = nil, key: String? = nil, timeout: Duration? = nil) {
        self.deadline = deadline
        self.key = key
        self.timeout = timeout
    }

    /// Options with a new random retry key.
    ///
    /// Each access makes another key.
    public static var retrying: CallOptions {
        let halves = [UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max)]
        return CallOptions(key: halves.map { String($0, radix: 36) }.joined(separator: "-"))
    }

    /// Returns options with a deadline.
    public static func deadline(_ deadline: Duration) -> CallOptions {
        CallOptions(deadline: deadline)
    }

    /// The member `_meta` of the params, or nil if there is nothing to send.
    var meta: Meta? {
        guard deadline != nil || key != nil else { return nil }
        return Meta(deadline: deadline.map(\.wholeMilliseconds), key: key)
    }
}
