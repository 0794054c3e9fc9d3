/// The schema of a protocol method's params or result, as `rpc.discover` and the tables of `docs/protocol.md` show it.
package struct WireSchema: Sendable {
    /// The JSON Schema, whose objects may have further members.
    package let json: JSONValue

    private init(_ members: JSONObject) { json = .object(members) }

    private init(type: String, _ others: JSONObject = [:]) {
        self.init(JSONObject([("type", .string(type))]).merging(others))
    }

    /// Any JSON value.
    static var any: Self { Self([:]) }
    static var null: Self { Self(type: "null") }
    static var boolean: Self { Self(type: "boolean") }
    /// An integer of any size.
    static var integer: Self { Self(type: "integer") }
    /// An integer of 0 or more.
    static var count: Self { Self(type: "integer", ["format": .string("int64"), "minimum": .integer(0)]) }
    /// The number of a Unix user.
    static var uid: Self { Self(type: "integer", ["minimum": .integer(0), "maximum": .integer(Int(UInt32.max))]) }
    static var string: Self { Self(type: "string") }
    /// A time in RFC 3339.
    static var time: Self { Self(type: "string", ["format": .string("date-time")]) }
    /// The name of a program and perhaps its version.
    static var program: Self { .object(["name": .string], optional: ["version": .optional(.string)]) }

    static func enumeration<Case: CaseIterable & RawRepresentable<String>>(_ cases: Case.Type) -> Self {
        Self(type: "string", ["enum": .array(cases.allCases.map { .string($0.rawValue) })])
    }

    static func array(_ element: Self) -> Self { Self(type: "array", ["items": element.json]) }

    /// An array of this many elements.
    static func array(_ element: Self, count: Int) -> Self {
        Self(
            type: "array",
            ["items": element.json, "minItems": .integer(count), "maxItems": .integer(count)]
        )
    }

    /// An object with arbitrary member names.
    static func dictionary(_ value: Self) -> Self { Self(type: "object", ["additionalProperties": value.json]) }

    /// An object with these members, in this order; the optional ones may be absent.
    static func object(
        _ required: KeyValuePairs<String, Self> = [:],
        optional: KeyValuePairs<String, Self> = [:]
    ) -> Self {
        let members = (Array(required) + optional).map { ($0.key, $0.value.json) }
        let names: JSONObject = required.isEmpty ? [:] : ["required": .array(required.map { .string($0.key) })]
        return Self(type: "object", JSONObject([("properties", .object(JSONObject(members)))]).merging(names))
    }

    /// A value of a schema, or null.
    static func optional(_ value: Self) -> Self { Self(["anyOf": .array([value.json, null.json])]) }
}
