package import ViewModelStorage

/// The data of one store, which a check opens, closes and opens again.
///
/// A check has one store of the fixture open at a time.
package protocol StorageFixture: Sendable {
    /// Whether each take-over of a session has a fence of its own.
    var hasFences: Bool { get }

    /// Opens the store with the data that the former one has left.
    func open(_ bounds: StoreBounds) async throws -> any StateStorage

    /// Ends an open store as the death of its process would.
    ///
    /// The next store finds what was durable at this moment, and the claims of the dead one have ended.
    func kill(_ store: any StateStorage) async throws

    /// Makes everything in the store older, as if time had passed.
    func pass(_ time: Duration) async throws
}

extension StorageFixture {
    /// Runs `body` with a new opening of the store, and closes the store.
    func withStore<Result>(
        _ bounds: StoreBounds = StoreBounds(),
        _ body: (any StateStorage) async throws -> Result
    ) async throws -> Result {
        let store = try await open(bounds)
        let result: Swift.Result<Result, any Error>
        do {
            result = .success(try await body(store))
        } catch {
            result = .failure(error)
        }
        try await store.close()
        return try result.get()
    }
}
