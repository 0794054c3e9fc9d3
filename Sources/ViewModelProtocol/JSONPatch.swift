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
                var failure = error
                failure.operation = index
                throw failure
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
    private enum CodingKeys: CodingKey {
        case op, path, from, value
    }

    private enum Name: String, Codable {
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
        func members(_ name: String, _ path: JSONPointer, _ other: (String, JSONValue)?) -> JSONObject {
            var members: JSONObject = ["op": .string(name), "path": .string(path.text)]
            if let (name, value) = other { members[name] = value }
            return members
        }
        let operation =
            switch self {
            case .add(let path, let value): members("add", path, ("value", value))
            case .remove(let path): members("remove", path, nil)
            case .replace(let path, let value): members("replace", path, ("value", value))
            case .move(let from, let path): members("move", path, ("from", .string(from.text)))
            case .copy(let from, let path): members("copy", path, ("from", .string(from.text)))
            case .test(let path, let value): members("test", path, ("value", value))
            }
        try operation.encode(to: encoder)
    }
}
