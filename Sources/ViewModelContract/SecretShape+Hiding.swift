package import ViewModelProtocol

extension SecretShape {
    /// The text that stands for a secret.
    package static let dots = "•••"

    /// Returns a value with dots in the place of its secrets.
    ///
    /// The rules are those of a recording: what stands in a secret place is hidden whatever its kind is, except null and
    /// Booleans. So are members that no schema names, beside secrets.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - shapes: the shapes that it may have.
    /// - Returns: the value without secrets.
    package static func hidingSecrets(in value: JSONValue, of shapes: [SecretShape]) -> JSONValue {
        guard shapes.contains(where: \.hasSecrets) else { return value }
        guard !shapes.contains(where: \.mayBeSecret) else { return hidden(value) }
        switch value {
        case .array(let elements):
            let element = Self.elements(of: shapes)
            return .array(elements.map { hidingSecrets(in: $0, of: element) })
        case .object(let members):
            return .object(
                JSONObject(
                    members.map { name, part in
                        (name, member(name, of: shapes).map { hidingSecrets(in: part, of: $0) } ?? hidden(part))
                    }
                )
            )
        // A value of another kind than the schema's: its meaning is unknown.
        default: return hidden(value)
        }
    }

    /// Returns a part of a value with dots in the place of its secrets.
    ///
    /// - Parameters:
    ///   - part: the part.
    ///   - tokens: the path of the part in the value, as that of a patch.
    ///   - shapes: the shapes that the value may have.
    /// - Returns: the part without secrets.
    package static func hidingSecrets(
        in part: JSONValue,
        at tokens: some Sequence<String>,
        of shapes: [SecretShape]
    ) -> JSONValue {
        self.part(at: tokens, of: shapes).map { hidingSecrets(in: part, of: $0) } ?? hidden(part)
    }

    /// Returns a value that fits its schema, with a text in the place of each secret that is not null.
    ///
    /// What no schema names stays.
    package static func replacingSecrets(
        in value: JSONValue,
        of shapes: [SecretShape],
        by text: String
    ) -> JSONValue {
        guard shapes.contains(where: \.hasSecrets) else { return value }
        if !value.isNull, shapes.contains(where: \.mayBeSecret) { return .string(text) }
        switch value {
        case .array(let elements):
            let element = Self.elements(of: shapes)
            return .array(elements.map { replacingSecrets(in: $0, of: element, by: text) })
        case .object(let members):
            return .object(
                JSONObject(
                    members.map { name, part in
                        let named = distinct(shapes.flatMap { $0.member(name) ?? [] })
                        return (name, replacingSecrets(in: part, of: named, by: text))
                    }
                )
            )
        default: return value
        }
    }

    private static func hidden(_ value: JSONValue) -> JSONValue {
        switch value {
        case .null, .bool: value
        case .number, .string: .string(dots)
        case .array(let elements): .array(elements.map(hidden))
        case .object(let members): .object(JSONObject(members.map { ($0.key, hidden($0.value)) }))
        }
    }
}

extension ContractComponents {
    /// Returns whether a value of a schema is a secret or contains one.
    package func hasSecrets(_ schema: ContractSchema) -> Bool {
        var reader = SecretShape.Reader(self)
        return reader.shape(of: schema).hasSecrets
    }
}
