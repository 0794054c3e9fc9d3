package import FoundationEssentials

/// A cache of the account pages, one for each user.
///
/// An entry older than ``StoreBounds/cacheAge`` is never returned. If the cache exceeds ``StoreBounds/cacheBytes``, the
/// entries that were stored or confirmed longest ago are removed within a minute, of all users together.
///
/// Isolation: used from anywhere.
package protocol Cache: Sendable {
    func entry(of uid: UInt32) async throws(StoreError) -> CacheEntry?

    /// Stores a value as fetched now, and replaces the former one.
    ///
    /// A value larger than the whole cache is not stored. The former value is removed then as well.
    ///
    /// - Returns: the time of the entry; nil if none is stored.
    @discardableResult
    func store(_ value: [UInt8], etag: String?, of uid: UInt32) async throws(StoreError) -> Date?

    /// Marks an entry as confirmed by the backend now (304 Not Modified).
    ///
    /// Missing and expired entries stay unchanged.
    ///
    /// - Returns: the time of the confirmed entry, or nil if the user has no entry that is fresh enough.
    @discardableResult
    func confirm(of uid: UInt32) async throws(StoreError) -> Date?

    /// Removes the entry of a user, as on sign-out.
    ///
    /// No file of the store contains it when this returns.
    func remove(of uid: UInt32) async throws(StoreError)

    /// Removes what has expired and what exceeds the bounds.
    ///
    /// The store does so by itself: SQLite with each write, PostgreSQL once a minute.
    func trim() async throws(StoreError)
}

package struct CacheEntry: Equatable, Sendable {
    /// The response as JSON text.
    package let value: [UInt8]
    /// The entity tag for a conditional request.
    package let etag: String?
    /// The time at which the backend last sent or confirmed the value.
    ///
    /// It is never in the future.
    package let fetchedAt: Date

    package init(value: [UInt8], etag: String?, fetchedAt: Date) {
        self.value = value
        self.etag = etag
        self.fetchedAt = fetchedAt
    }

    /// Returns the bytes that are counted for an entry: its contents and an estimate of the rest of its row.
    package static func bytes(value: [UInt8], etag: String?) -> Int {
        value.count + (etag?.utf8.count ?? 0) + overhead
    }

    /// The bytes that are counted for an entry in addition to its contents, as an estimate.
    package static var overhead: Int { 139 }
}
