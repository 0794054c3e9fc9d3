import OrderedCollections

/// The members of a JSON object, in their order.
///
/// Names are unique. They are compared by their code points. Two objects are equal if they have equal members, in any
/// order.
public struct JSONObject: Sendable {
    /// A member of an object.
    public typealias Element = (key: String, value: JSONValue)

    private var members: OrderedDictionary<ExactString, JSONValue>

    private init(members: OrderedDictionary<ExactString, JSONValue>) {
        self.members = members
    }

    /// Creates an object without members.
    public init() {
        self.init(members: [:])
    }

    /// Creates an object with members in this order.
    ///
    /// Of two members with one name, the last value remains.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        self.init(members: [:])
        for (name, value) in members { self.members[ExactString(name)] = value }
    }

    /// The value of the member with a name, or nil if the object has no such member.
    ///
    /// A new member is appended. Nil removes the member.
    public subscript(name: String) -> JSONValue? {
        get { members[ExactString(name)] }
        set { members[ExactString(name)] = newValue }
    }

    /// The names, in the order of the members.
    public var keys: some RandomAccessCollection<String> & Sendable { members.keys.map(\.string) }

    /// The values, in the order of the members.
    public var values: some RandomAccessCollection<JSONValue> { members.values }

    /// Returns the index of the member with a name, or nil if the object has no such member.
    package func index(forKey name: String) -> Int? { members.index(forKey: ExactString(name)) }

    /// Changes the value of a member in place.
    package mutating func modifyValue<Result, Failure: Error>(
        at index: Int,
        _ change: (inout JSONValue) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try change(&members.values[index])
    }

    /// Removes a member.
    ///
    /// - Parameter name: The member's name.
    /// - Returns: The value, or nil if the object has no such member.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> JSONValue? {
        members.removeValue(forKey: ExactString(name))
    }

    /// Returns the object with other values.
    public func mapValues<Failure: Error>(
        _ transform: (JSONValue) throws(Failure) -> JSONValue
    ) throws(Failure) -> JSONObject {
        var changed = JSONObject()
        for (name, value) in members { changed.members[name] = try transform(value) }
        return changed
    }

    /// Returns the object with the members that satisfy a condition.
    public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> JSONObject {
        JSONObject(members: try members.filter { try isIncluded(($0.key.string, $0.value)) })
    }

    /// Returns this object with the members of another one, whose values prevail.
    public func merging(_ other: JSONObject) -> JSONObject {
        var merged = self
        for (name, value) in other.members { merged.members[name] = value }
        return merged
    }
}

extension JSONObject: RandomAccessCollection {
    /// The index of the first member.
    public var startIndex: Int { 0 }

    /// The index after the last member.
    public var endIndex: Int { members.count }

    /// The member at an index.
    public subscript(position: Int) -> Element {
        let member = members.elements[position]
        return (member.key.string, member.value)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object with the members of a literal.
    ///
    /// Of two members with one name, the last value remains.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self.init(elements)
    }
}

extension JSONObject: Hashable {
    /// Returns whether two objects have equal members, in any order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right.members[$0.key] == $0.value }
    }

    /// Hashes the members without their order.
    public func hash(into hasher: inout Hasher) {
        var sum = 0
        for (name, value) in members {
            var member = Hasher()
            member.combine(name)
            member.combine(value)
            sum ^= member.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: CustomStringConvertible {
    /// The object's JSON text.
    public var description: String { JSONValue.object(self).description }
}

extension JSONObject: Codable {
    /// Reads an object.
    ///
    /// - Throws: `DecodingError` for a value of another kind.
    public init(from decoder: any Decoder) throws {
        guard case .object(let object) = try JSONValue(from: decoder) else {
            let context = DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "expected an object")
            throw DecodingError.typeMismatch(JSONObject.self, context)
        }
        self = object
    }

    /// Writes the object.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(self).encode(to: encoder)
    }
}
