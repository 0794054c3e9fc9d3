public import FoundationEssentials

/// What was fetched, and how old it is.
public struct CacheEntry: Equatable, Sendable {
    /// JSON text.
    public let value: [UInt8]
    /// What a conditional request asks with.
    public let etag: String?
    /// When the backend confirmed it last.
    public let fetchedAt: Date
}
