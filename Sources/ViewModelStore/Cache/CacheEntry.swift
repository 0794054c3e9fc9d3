public import FoundationEssentials

/// A cached response with its age.
public struct CacheEntry: Equatable, Sendable {
    /// The response as JSON text.
    public let value: [UInt8]
    /// The entity tag for a conditional request.
    public let etag: String?
    /// The time at which the backend last sent or confirmed the value.
    public let fetchedAt: Date
}
