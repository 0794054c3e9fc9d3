import ViewModelKit

extension DocumentValue {
    /// Returns a JSON Schema with the annotations of its schema.
    func annotated(
        _ annotation: Schema.Annotation,
        of schema: Schema,
        _ direction: SchemaDocument.Direction
    ) -> DocumentValue {
        var value = self
        if !annotation.cases.isEmpty { value = value.adding("oneOf", cases(annotation.cases, of: schema)) }
        if let bounds = annotation.bounds, direction == .sentByClient { value = value.bounded(bounds) }
        return value.described(annotation.description)
    }

    /// Returns the cases of an enumeration with their names and descriptions.
    private func cases(_ cases: [Schema.Annotation.Case], of schema: Schema) -> DocumentValue {
        let values: [DocumentValue] =
            switch schema {
            case .enumeration(let values): values.map { .string($0) }
            case .integerEnumeration(let values): values.map { .integer($0) }
            default: []
            }
        return .array(
            zip(values, cases).map { value, note in
                let named = note.name.isEmpty ? [] : [("title", DocumentValue.string(note.name))]
                return DocumentValue.object([("const", value)] + named).described(note.description)
            }
        )
    }

    /// Returns a JSON Schema with bounds, which are those of the value if it may be null.
    private func bounded(_ bounds: Bounds) -> DocumentValue {
        guard case .object(let members) = self else { return self }
        if case .array(let alternatives)? = members.first(where: { $0.0 == "anyOf" })?.1, alternatives.count == 2 {
            return adding("anyOf", .array([alternatives[0].bounded(bounds), alternatives[1]]))
        }
        guard case .string(let type)? = members.first(where: { $0.0 == "type" })?.1 else { return self }
        let isDecimal = members.contains { name, value in
            if case .string("decimal") = value { name == "format" } else { false }
        }
        let names: (minimum: String, maximum: String)? =
            switch type {
            case "integer", "number": ("minimum", "maximum")
            case "string": isDecimal ? ("minimum", "maximum") : ("minLength", "maxLength")
            case "array": ("minItems", "maxItems")
            default: nil
            }
        guard let names else { return self }
        var value = self
        if let minimum = bounds.minimum { value = value.adding(names.minimum, minimum.document) }
        if let maximum = bounds.maximum { value = value.adding(names.maximum, maximum.document) }
        if type == "string", let pattern = bounds.pattern { value = value.adding("pattern", .string(pattern)) }
        return value
    }
}

extension Bounds.Limit {
    fileprivate var document: DocumentValue {
        switch self {
        case .integer(let integer): .integer(Int128(integer))
        case .number(let number): .number(number)
        }
    }
}
