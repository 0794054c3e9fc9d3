package import ViewModelHost
package import ViewModelStorage

extension Cache {
    /// Stores a value without an entity tag.
    package func store(_ value: [UInt8], of uid: UInt32) async throws(StoreError) {
        try await store(value, etag: nil, of: uid)
    }
}

extension Store {
    /// Makes the caller the writer of a session, which does not count as a use of it.
    package func acquire(_ key: SessionKey, mayCreate: Bool) async throws -> AcquiredSession? {
        try await acquire(key, .close, mayCreate: mayCreate)
    }

    /// Returns a saved session, or nil.
    package func load(_ key: SessionKey) async throws -> SavedSession? {
        try await acquire(key, mayCreate: false)?.saved
    }

    /// Erases a session under the fence of a store of one daemon.
    package func erase(_ key: SessionKey) async throws {
        try await erase(key, under: .single)
    }
}
