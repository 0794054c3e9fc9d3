/// A list of changes to a JSON value (RFC 6902).
public struct JSONPatch: Equatable, Sendable {
    /// The operations, in the order of their application.
    public var operations: [Operation]

    /// Creates a patch.
    public init(_ operations: [Operation] = []) {
        self.operations = operations
    }

    /// One operation of a patch.
    public enum Operation: Equatable, Sendable {
        /// Sets a member of an object or inserts into an array.
        ///
        /// The last token `-` appends.
        case add(path: JSONPointer, value: JSONValue)
        /// Removes an existing value.
        case remove(path: JSONPointer)
        /// Replaces an existing value.
        case replace(path: JSONPointer, value: JSONValue)
        /// Removes a value and adds it at another position.
        case move(from: JSONPointer, path: JSONPointer)
        /// Adds a copy of an existing value at another position.
        case copy(from: JSONPointer, path: JSONPointer)
        /// Fails unless the existing value equals this one.
        ///
        /// Numbers compare by value.
        case test(path: JSONPointer, value: JSONValue)
    }

    /// The reason why a patch cannot be applied.
    public struct Failure: Error, Equatable, CustomStringConvertible {
        /// The index of the operation that failed.
        public var operation: Int
        /// The position at which it failed.
        public var path: JSONPointer
        /// The cause, in words.
        public var reason: String

        /// The failure in one line.
        public var description: String { "Operation \(operation) at \"\(path)\": \(reason)" }
    }

    /// The pointers of all operations in order, including the sources of `move` and `copy`.
    package var paths: [JSONPointer] {
        operations.flatMap { operation in
            switch operation {
            case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _): [path]
            case .move(let from, let path), .copy(let from, let path): [from, path]
            }
        }
    }

    /// Applies all operations or none of them.
    ///
    /// - Parameter document: The value to change.
    /// - Throws: ``Failure`` for the first operation that cannot be applied. The document is then unchanged.
    public func apply(to document: inout JSONValue) throws(Failure) {
        var result = document
        for (index, operation) in operations.enumerated() {
            do {
                try operation.apply(to: &result)
            } catch {
                throw Failure(operation: index, path: error.path, reason: error.reason)
            }
        }
        document = result
    }
}

extension JSONPatch: Codable {
    /// Reads an array of operations.
    public init(from decoder: any Decoder) throws {
        self.operations = try decoder.singleValueContainer().decode([Operation].self)
    }

    /// Writes an array of operations.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(operations)
    }
}

extension JSONPatch.Operation: Codable {
    fileprivate enum CodingKeys: CodingKey {
        case op, path, from, value
    }

    fileprivate enum Name: String, Codable {
        case add, remove, replace, move, copy, test
    }

    /// Reads an operation and ignores members that RFC 6902 does not define, as section 4 of the RFC requires.
    public init(from decoder: any Decoder) throws {
        _ = try? decoder.container(keyedBy: AnyKey.self).allKeys
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let path = try container.decode(JSONPointer.self, forKey: .path)
        switch try container.decode(Name.self, forKey: .op) {
        case .add: self = .add(path: path, value: try container.decode(JSONValue.self, forKey: .value))
        case .remove: self = .remove(path: path)
        case .replace: self = .replace(path: path, value: try container.decode(JSONValue.self, forKey: .value))
        case .move: self = .move(from: try container.decode(JSONPointer.self, forKey: .from), path: path)
        case .copy: self = .copy(from: try container.decode(JSONPointer.self, forKey: .from), path: path)
        case .test: self = .test(path: path, value: try container.decode(JSONValue.self, forKey: .value))
        }
    }

    /// Writes an operation as an object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .add(let path, let value): try container.encode(.add, path, value: value)
        case .remove(let path): try container.encode(.remove, path)
        case .replace(let path, let value): try container.encode(.replace, path, value: value)
        case .move(let from, let path): try container.encode(.move, path, from: from)
        case .copy(let from, let path): try container.encode(.copy, path, from: from)
        case .test(let path, let value): try container.encode(.test, path, value: value)
        }
    }
}

extension KeyedEncodingContainer<JSONPatch.Operation.CodingKeys> {
    fileprivate mutating func encode(
        _ name: JSONPatch.Operation.Name,
        _ path: JSONPointer,
        from: JSONPointer? = nil,
        value: JSONValue? = nil
    ) throws {
        try encode(name, forKey: .op)
        try encode(path, forKey: .path)
        try encodeIfPresent(from, forKey: .from)
        try encodeIfPresent(value, forKey: .value)
    }
}
