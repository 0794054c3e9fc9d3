package import ViewModelHost
package import ViewModelStorage

extension Cache {
    /// Stores a value without an entity tag.
    package func store(_ value: [UInt8], of uid: UInt32) async throws(StoreError) {
        try await store(value, etag: nil, of: uid)
    }
}

extension Store {
    /// Returns a saved session, or nil.
    package func load(_ key: SessionKey) async throws -> SavedSession? {
        try await acquire(key, mayCreate: false)?.saved
    }

    /// Erases a session under the fence of a store of one daemon.
    package func erase(_ key: SessionKey) async throws {
        try await erase(key, under: .single)
    }
}
