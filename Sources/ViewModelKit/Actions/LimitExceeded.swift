/// An error for an input or an action that would exceed a limit.
///
/// The caller gets -32006 (protocol, section 2).
public struct LimitExceeded: Error, Sendable, Equatable {
    /// The limit's key in the configuration, such as `limits.outboxItemsPerUser`.
    public var limit: String
    /// The limit's value.
    public var value: Int

    /// Creates an error for a limit.
    public init(limit: String, value: Int) {
        self.limit = limit
        self.value = value
    }
}
