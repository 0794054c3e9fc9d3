internal import JSONRPC

/// Values for code that cannot get the right one because of a mistake, until its step ends.
extension Graph {
    /// Returns a value of a signal that has no value to return, in a step whose session ends.
    ///
    /// It is the simplest value of the schema of its type. Traps for a type without a schema, because Swift cannot leave
    /// the code of the author in another way.
    func makeUpValue<Value>(for signal: Signal<Value>) -> Value {
        hasMadeUpValues = true
        if let type = Value.self as? any Schemable.Type, let value = madeUp(type) as? Value { return value }
        let name = host.nameForLog(of: signal)
        fatalError("\(name) was used while it was computed or changed, and \(Value.self) has no schema")
    }

    private func madeUp<Value: Schemable>(_ type: Value.Type) -> Value? {
        try? Graph.decode(type, from: Schema.of(type).simplestValue(inside: 0).text)
    }
}

extension Schema {
    /// Returns a value of this schema, with as few members and elements as possible.
    fileprivate func simplestValue(inside depth: Int) -> JSONValue {
        switch self {
        case .type(let value): depth < Self.deepest ? value.type.schema.simplestValue(inside: depth + 1) : .null
        case .any, .null, .optional: .null
        case .boolean: .bool(false)
        case .integer, .number: .number("0")
        case .string(format: "date-time", _): .string("1970-01-01T00:00:00Z")
        case .string(format: "uuid", _): .string("00000000-0000-0000-0000-000000000000")
        case .string(format: "uri", _): .string("about:blank")
        case .string(format: "decimal", _): .string("0")
        case .string: .string("")
        case .enumeration(let cases): .string(cases.first ?? "")
        case .integerEnumeration(let cases): .number("\(cases.first ?? 0)")
        case .array: .array([])
        case .dictionary: .object(JSONObject())
        case .object(let properties):
            .object(
                JSONObject(
                    properties.filter(\.required).map { ($0.name, $0.schema.simplestValue(inside: depth)) }
                )
            )
        case .anyOf(let alternatives): alternatives.first?.simplestValue(inside: depth) ?? .null
        case .document(_, let schema), .annotated(let schema, _): schema.simplestValue(inside: depth)
        }
    }
}
