import Synchronization

extension Schema {
    /// Finds the schema of a type's values by running its `init(from:)` with made-up values.
    ///
    /// Synthesised conformances are described completely: structs and classes with their members and which of them are
    /// optional, enums with their cases. A hand-written initialiser is described as far as its reads show. It must not
    /// trap on an empty string or a zero. A type that can describe itself better conforms to ``SchemaProviding``.
    ///
    /// The result is cached, so only the first call for a type costs more than a look-up.
    ///
    /// - Parameter type: the type.
    /// - Returns: the schema.
    /// - Throws: ``SchemaError``, which names the type that accepts no made-up value, and the remedy.
    public static func of<T: Decodable>(_ type: T.Type) throws(SchemaError) -> Schema {
        let id = ObjectIdentifier(type)
        if let found = found.withLock({ $0[id] }) { return try found.get() }
        // The lock is not held, because the type's own code runs and may call this function.
        let probe = SchemaProbe()
        let result: Result<Schema, SchemaError>
        do throws(SchemaError) {
            result = .success(try probe.schema(of: type))
        } catch {
            var error = error
            let root = SchemaError.name(of: type)
            if error.type != root { error.root = root }
            result = .failure(error)
        }
        found.withLock { $0[id] = result }
        return try result.get()
    }

    private static let found = Mutex<[ObjectIdentifier: Result<Schema, SchemaError>]>([:])
}
