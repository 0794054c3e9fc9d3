extension JSONPatch.Failure {
    /// The failure of a single operation, whose index is not known yet.
    fileprivate init(_ path: JSONPointer, _ reason: String) {
        self.init(operation: 0, path: path, reason: reason)
    }
}

extension JSONPatch.Operation {
    func apply(to document: inout JSONValue) throws(JSONPatch.Failure) {
        switch self {
        case .add(let path, let value): try document.add(value, at: path)
        case .remove(let path): _ = try document.remove(at: path)
        case .replace(let path, let value): try document.replace(at: path, with: value)
        case .move(let from, let path): try document.move(from: from, to: path)
        case .copy(let from, let path): try document.add(document.value(at: from), at: path)
        case .test(let path, let value):
            guard try document.value(at: path) == value else {
                throw JSONPatch.Failure(path, "another value is there")
            }
        }
    }
}

extension JSONValue {
    fileprivate func value(at path: JSONPointer) throws(JSONPatch.Failure) -> JSONValue {
        guard let value = self[path] else { throw JSONPatch.Failure(path, "there is no value") }
        return value
    }

    fileprivate mutating func add(_ value: JSONValue, at path: JSONPointer) throws(JSONPatch.Failure) {
        guard let last = path.tokens.last else {
            self = value
            return
        }
        try modify(at: path, path.tokens.dropLast()) { (parent: inout JSONValue) throws(JSONPatch.Failure) in
            switch parent {
            case .object(var members):
                parent = .null
                members[last] = value
                parent = .object(members)
            case .array(var items):
                guard let index = last == "-" ? items.count : JSONPointer.index(last), index <= items.count else {
                    throw JSONPatch.Failure(path, "not an index of an array of \(items.count)")
                }
                parent = .null
                items.insert(value, at: index)
                parent = .array(items)
            default: throw JSONPatch.Failure(path, "its parent is neither an object nor an array")
            }
        }
    }

    fileprivate mutating func remove(at path: JSONPointer) throws(JSONPatch.Failure) -> JSONValue {
        guard let last = path.tokens.last else {
            let whole = self
            self = .null
            return whole
        }
        return try modify(at: path, path.tokens.dropLast()) { (parent: inout JSONValue) throws(JSONPatch.Failure) in
            switch parent {
            case .object(var members):
                parent = .null
                defer { parent = .object(members) }
                guard let removed = members.removeValue(forKey: last) else {
                    throw JSONPatch.Failure(path, "there is no value")
                }
                return removed
            case .array(var items):
                guard let index = JSONPointer.index(last), items.indices.contains(index) else {
                    throw JSONPatch.Failure(path, "not an index of an array of \(items.count)")
                }
                parent = .null
                defer { parent = .array(items) }
                return items.remove(at: index)
            default: throw JSONPatch.Failure(path, "there is no value")
            }
        }
    }

    fileprivate mutating func replace(at path: JSONPointer, with value: JSONValue) throws(JSONPatch.Failure) {
        try modify(at: path, path.tokens[...]) { target throws(JSONPatch.Failure) in target = value }
    }

    fileprivate mutating func move(from: JSONPointer, to path: JSONPointer) throws(JSONPatch.Failure) {
        guard from == path || !from.contains(path) else {
            throw JSONPatch.Failure(path, "a value cannot be moved into itself")
        }
        try add(remove(at: from), at: path)
    }

    /// Changes the value at a path in place.
    ///
    /// The method moves a container out of its parent while it changes it. The container's storage therefore stays
    /// unshared, and only the changed rows are copied.
    private mutating func modify<Result>(
        at path: JSONPointer,
        _ tokens: ArraySlice<String>,
        _ change: (inout JSONValue) throws(JSONPatch.Failure) -> Result
    ) throws(JSONPatch.Failure) -> Result {
        guard let token = tokens.first else { return try change(&self) }
        switch self {
        case .object(var members):
            guard let index = members.index(forKey: token) else {
                throw JSONPatch.Failure(path, "\"\(token)\" is missing on the way there")
            }
            self = .null
            defer { self = .object(members) }
            return try members.modifyValue(at: index) { (value: inout JSONValue) throws(JSONPatch.Failure) in
                try value.modify(at: path, tokens.dropFirst(), change)
            }
        case .array(var items):
            guard let index = JSONPointer.index(token), items.indices.contains(index) else {
                throw JSONPatch.Failure(path, "\"\(token)\" is not an index of an array of \(items.count)")
            }
            self = .null
            defer { self = .array(items) }
            return try items[index].modify(at: path, tokens.dropFirst(), change)
        default: throw JSONPatch.Failure(path, "\"\(token)\" is missing on the way there")
        }
    }
}
