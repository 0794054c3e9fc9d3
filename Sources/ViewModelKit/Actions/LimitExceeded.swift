/// A limit of the configuration that stands in the way of an input or an action; the caller gets -32006 (protocol, section 2).
public struct LimitExceeded: Error, Sendable, Equatable {
    /// The limit's key in the configuration, such as `limits.outboxItemsPerUser`.
    public var limit: String
    /// The limit's value.
    public var value: Int

    /// Names a limit.
    public init(limit: String, value: Int) {
        self.limit = limit
        self.value = value
    }
}
