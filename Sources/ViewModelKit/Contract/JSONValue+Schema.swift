package import JSONRPC

extension JSONValue {
    /// Returns an object with a further member at its end.
    ///
    /// It replaces a member of the same name. Another value is unchanged.
    package func adding(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var members) = self else { return self }
        members.removeValue(forKey: name)
        members[name] = value
        return .object(members)
    }

    /// Returns an object with a description, unless the text is empty.
    package func described(_ text: String) -> JSONValue {
        text.isEmpty ? self : adding("description", .string(text))
    }

    /// Returns a JSON Schema with the annotations of its schema.
    func annotated(
        _ annotation: Schema.Annotation,
        of schema: Schema,
        _ direction: SchemaDocument.Direction
    ) -> JSONValue {
        var value = self
        if !annotation.cases.isEmpty { value = value.adding("oneOf", cases(annotation.cases, of: schema)) }
        if let bounds = annotation.bounds, direction == .sentByClient { value = value.bounded(bounds) }
        return value.described(annotation.description)
    }

    /// Returns the cases of an enumeration with their names and descriptions.
    private func cases(_ cases: [Schema.Annotation.Case], of schema: Schema) -> JSONValue {
        let values: [JSONValue] =
            switch schema {
            case .enumeration(let values): values.map { .string($0) }
            case .integerEnumeration(let values): values.map { .number("\($0)") }
            default: []
            }
        return .array(
            zip(values, cases).map { value, note in
                var entry: JSONObject = ["const": value]
                if !note.name.isEmpty { entry["title"] = .string(note.name) }
                return JSONValue.object(entry).described(note.description)
            }
        )
    }

    /// Returns a JSON Schema with bounds, which are those of the value if it may be null.
    private func bounded(_ bounds: Bounds) -> JSONValue {
        guard case .object(let members) = self else { return self }
        if case .array(let alternatives)? = members["anyOf"], alternatives.count == 2 {
            return adding("anyOf", .array([alternatives[0].bounded(bounds), alternatives[1]]))
        }
        guard let type = members["type"]?.stringValue else { return self }
        let isDecimal = members["format"] == .string("decimal")
        let names: (minimum: String, maximum: String)? =
            switch type {
            case "integer", "number": ("minimum", "maximum")
            case "string": isDecimal ? ("minimum", "maximum") : ("minLength", "maxLength")
            case "array": ("minItems", "maxItems")
            default: nil
            }
        guard let names else { return self }
        var value = self
        if let minimum = bounds.minimum {
            // A count has no negative bound.
            let isNegativeCount = names.minimum != "minimum" && (minimum.intValue ?? 0) < 0
            value = value.adding(names.minimum, isNegativeCount ? .integer(0) : minimum)
        }
        if let maximum = bounds.maximum { value = value.adding(names.maximum, maximum) }
        if type == "string", let pattern = bounds.pattern { value = value.adding("pattern", .string(pattern)) }
        return value
    }
}
