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
        decoder.takeUnknownMembers()
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
        try encode(present: from, forKey: .from)
        try encode(present: value, forKey: .value)
    }
}
