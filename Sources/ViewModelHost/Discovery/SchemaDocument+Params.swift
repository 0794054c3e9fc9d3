import ViewModelKit
import ViewModelProtocol

/// The form of params, which the schemas of a contract file may lack.
extension SchemaDocument {
    /// Returns the component to which a schema refers, with its name as the title, if it lists members; otherwise the
    /// schema itself.
    func withMembers(_ schema: JSONValue) -> JSONValue {
        guard let (name, named) = component(of: schema), named["properties"] != nil else { return schema }
        return named.adding("title", .string(name))
    }

    /// Returns a schema whose objects have no other members than those that it lists.
    ///
    /// A component of an object that allows others is described where it stands, with its name as the title. A component
    /// inside of itself stays. So do components at a great depth, and those beyond ``mostDescribed``.
    func closed(_ schema: JSONValue) -> JSONValue {
        var rest = Self.mostDescribed
        return closed(schema, inside: [], &rest)
    }

    /// The most components that are described inside of each other.
    private static let deepestDescribed = 16

    private func closed(_ schema: JSONValue, inside path: Set<String>, _ rest: inout Int) -> JSONValue {
        guard case .object(let members) = schema else { return schema }
        if let (name, named) = component(of: schema) {
            guard named["properties"] != nil, named["additionalProperties"] == nil, !path.contains(name), rest > 0,
                path.count < Self.deepestDescribed
            else { return schema }
            rest -= 1
            return closed(named, inside: path.union([name]), &rest).adding("title", .string(name))
                .described(schema["description"]?.stringValue ?? "")
        }
        let parts = members.map { name, part -> (String, JSONValue) in
            switch (name, part) {
            case ("properties", .object(let properties)):
                (name, .object(properties.mapValues { closed($0, inside: path, &rest) }))
            case ("anyOf", .array(let alternatives)), ("oneOf", .array(let alternatives)):
                (name, .array(alternatives.map { closed($0, inside: path, &rest) }))
            case ("items", _), ("additionalProperties", _): (name, closed(part, inside: path, &rest))
            default: (name, part)
            }
        }
        let object = JSONValue.object(JSONObject(parts))
        let isOpen = members["properties"] != nil && members["additionalProperties"] == nil
        return isOpen ? object.adding("additionalProperties", .bool(false)) : object
    }

    /// Returns the component to which a schema refers, with its name; nil for a schema that is no reference.
    private func component(of schema: JSONValue) -> (name: String, schema: JSONValue)? {
        var found: (name: String, schema: JSONValue)?
        var passed: Set<String> = []
        while let name = (found?.schema ?? schema)["$ref"]?.stringValue?.split(separator: "/").last.map(String.init),
            passed.insert(name).inserted, let next = definition(name)
        {
            found = (name, next)
        }
        return found
    }
}
