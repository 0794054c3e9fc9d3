/// The decoder that passes made-up values to an initialiser and records its reads.
struct SchemaDecoder: Decoder {
    let trial: SchemaTrial
    let node: SchemaNode
    var codingPath: [any CodingKey] = []

    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        node.readKeyed()
        return KeyedDecodingContainer(Keyed(decoder: self))
    }

    func unkeyedContainer() -> any UnkeyedDecodingContainer {
        node.readUnkeyed()
        return Unkeyed(decoder: self)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

    /// Returns the decoder of a member or an element.
    fileprivate func inner(_ node: SchemaNode, _ key: any CodingKey) throws -> SchemaDecoder {
        guard codingPath.count < SchemaProbe.depth else { throw SchemaExhaustion() }
        return SchemaDecoder(trial: trial, node: node, codingPath: codingPath + [key])
    }

    /// Reads the value as a single value.
    fileprivate func take<T: Decodable>(_ type: T.Type) throws -> T {
        let (value, schema) = try trial.take(type)
        node.read(schema)
        return value
    }
}

extension SchemaDecoder {
    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let decoder: SchemaDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        var allKeys: [Key] {
            if let keys = decoder.trial.keys(Key.self, in: decoder.node) { return keys }
            decoder.node.readAnyKey()
            return (Key(stringValue: "key") ?? Key(intValue: 0)).map { [$0] } ?? []
        }

        func contains(_ key: Key) -> Bool {
            decoder.node.question(key)
            return true
        }

        func decodeNil(forKey key: Key) -> Bool {
            decoder.node.member(key).readNull()
            return false
        }

        func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
            try member(key).take(type)
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> {
            try member(key).container(keyedBy: type)
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            try member(key).unkeyedContainer()
        }

        func superDecoder() throws -> any Decoder { try member(SchemaKey("super")) }
        func superDecoder(forKey key: Key) throws -> any Decoder { try member(key) }

        private func member(_ key: any CodingKey) throws -> SchemaDecoder {
            try decoder.inner(decoder.node.member(key), key)
        }

        /// Reads an optional member as a missing one.
        private func miss<T: Decodable>(_ type: T.Type, _ key: Key) throws -> T? {
            decoder.node.member(key, required: false).read(try decoder.trial.schema(of: type))
            return nil
        }

        // One method for each type, because the library's defaults would decode the value.
        func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try miss(type, key) }
        func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try miss(type, key) }
        func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? { try miss(type, key) }
        func decodeIfPresent(_ type: Float.Type, forKey key: Key) throws -> Float? { try miss(type, key) }
        func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? { try miss(type, key) }
        func decodeIfPresent(_ type: Int8.Type, forKey key: Key) throws -> Int8? { try miss(type, key) }
        func decodeIfPresent(_ type: Int16.Type, forKey key: Key) throws -> Int16? { try miss(type, key) }
        func decodeIfPresent(_ type: Int32.Type, forKey key: Key) throws -> Int32? { try miss(type, key) }
        func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? { try miss(type, key) }
        func decodeIfPresent(_ type: Int128.Type, forKey key: Key) throws -> Int128? { try miss(type, key) }
        func decodeIfPresent(_ type: UInt.Type, forKey key: Key) throws -> UInt? { try miss(type, key) }
        func decodeIfPresent(_ type: UInt8.Type, forKey key: Key) throws -> UInt8? { try miss(type, key) }
        func decodeIfPresent(_ type: UInt16.Type, forKey key: Key) throws -> UInt16? { try miss(type, key) }
        func decodeIfPresent(_ type: UInt32.Type, forKey key: Key) throws -> UInt32? { try miss(type, key) }
        func decodeIfPresent(_ type: UInt64.Type, forKey key: Key) throws -> UInt64? { try miss(type, key) }
        func decodeIfPresent(_ type: UInt128.Type, forKey key: Key) throws -> UInt128? { try miss(type, key) }
        func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? { try miss(type, key) }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        let decoder: SchemaDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }
        var count: Int? { nil }
        var currentIndex: Int { decoder.node.count }
        /// A trial that records ends after one element, which shows the schema.
        ///
        /// Other trials end at once, which makes a minimal value.
        var isAtEnd: Bool { decoder.node.count > 0 || !decoder.trial.records }

        func decodeNil() -> Bool { false }
        func decode<T: Decodable>(_ type: T.Type) throws -> T { try element().take(type) }

        func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
            try element().container(keyedBy: type)
        }

        func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer { try element().unkeyedContainer() }
        func superDecoder() throws -> any Decoder { try element() }

        private func element() throws -> SchemaDecoder {
            let key = SchemaKey(decoder.node.count)
            return try decoder.inner(decoder.node.element(), key)
        }
    }

    private struct Single: SingleValueDecodingContainer {
        let decoder: SchemaDecoder

        var codingPath: [any CodingKey] { decoder.codingPath }

        func decodeNil() -> Bool {
            decoder.node.readNull()
            return false
        }

        func decode<T: Decodable>(_ type: T.Type) throws -> T {
            try decoder.trial.refuse(codingPath)
            return try decoder.take(type)
        }
    }
}

/// A coding key for elements and for `super`, which have no key of the type.
private struct SchemaKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init(_ name: String) {
        stringValue = name
        intValue = nil
    }

    init(stringValue: String) { self.init(stringValue) }
    init(intValue: Int) { self.init(intValue) }
}
