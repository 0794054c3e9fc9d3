import Synchronization

extension Schema {
    /// Finds the shape of a type's values by running its `init(from:)` with made-up values.
    ///
    /// Synthesised conformances are described in full: structs and classes with their members, which of them are optional,
    /// enums with their cases. What an initialiser that is written by hand reads is described as far as it shows; it must
    /// not trap on an empty string or a zero. A type that knows better conforms to ``SchemaProviding``.
    ///
    /// The result is kept, so that only the first call for a type costs more than a look-up.
    ///
    /// - Parameter type: The type whose shape is asked for.
    /// - Throws: `SchemaError`, which names the type that accepts no made-up value and the remedy.
    public static func of<T: Decodable>(_ type: T.Type) throws(SchemaError) -> Schema {
        let id = ObjectIdentifier(type)
        if let found = found.withLock({ $0[id] }) { return try found.get() }
        // Outside of the lock: the type's own code runs, and it may ask for a schema, too.
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
