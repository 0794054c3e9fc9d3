package import ViewModelKit

/// The bounds of a store, which a reload of the configuration changes.
package struct StoreBounds: Equatable, Sendable {
    /// The maximum bytes of the cache: values, entity tags and an estimated overhead for each entry.
    package var cacheBytes = 67_108_864
    /// The maximum age of a cached value.
    package var cacheAge = Duration.seconds(2_592_000)
    /// The maximum number of a user's unsent items.
    package var outboxItems = 10_000
    /// The maximum bytes of the texts of a user's unsent items.
    package var outboxBytes = 67_108_864
    /// The maximum number of a user's saved sessions.
    package var savedSessions = 1000
    /// The maximum bytes of a saved session, and of the values of a user.
    package var savedBytes = 1_048_576

    package init() {}

    /// Returns the bound that an additional text would exceed beside a number and the bytes of unsent items, or nil.
    package func refusal(of text: String, beside items: Int, bytes: Int) -> LimitExceeded? {
        if items >= outboxItems { return LimitExceeded(limit: "limits.outboxItemsPerUser", value: outboxItems) }
        guard bytes > outboxBytes - text.utf8.count else { return nil }
        return LimitExceeded(limit: "limits.outboxBytesPerUser", value: outboxBytes)
    }
}
