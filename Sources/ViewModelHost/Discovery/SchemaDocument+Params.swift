import ViewModelProtocol

/// The form of params, which the schemas of a contract file may lack.
extension SchemaDocument {
    /// Returns the component to which a schema refers, if it lists members; otherwise the schema itself.
    func withMembers(_ schema: JSONValue) -> JSONValue {
        guard let named = component(of: schema)?.schema, named["properties"] != nil else { return schema }
        return named
    }

    /// Returns a schema whose objects have no other members than those that it lists.
    ///
    /// A component of an object that allows others is described where it stands, with its name as the title. A component
    /// inside of itself stays.
    func closed(_ schema: JSONValue, inside path: Set<String> = []) -> JSONValue {
        guard case .object(let members) = schema else { return schema }
        if let (name, named) = component(of: schema) {
            guard named["properties"] != nil, named["additionalProperties"] == nil, !path.contains(name) else {
                return schema
            }
            return closed(named, inside: path.union([name])).adding("title", .string(name))
                .described(schema["description"]?.stringValue ?? "")
        }
        let parts = members.map { name, part -> (String, JSONValue) in
            switch (name, part) {
            case ("properties", .object(let properties)):
                (name, .object(properties.mapValues { closed($0, inside: path) }))
            case ("anyOf", .array(let alternatives)), ("oneOf", .array(let alternatives)):
                (name, .array(alternatives.map { closed($0, inside: path) }))
            case ("items", _), ("additionalProperties", _): (name, closed(part, inside: path))
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
