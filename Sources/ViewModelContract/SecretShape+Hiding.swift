package import ViewModelProtocol

extension SecretShape {
    /// The text that stands for a secret.
    package static let dots = "•••"

    /// Returns a value with dots in the place of its secrets.
    ///
    /// The rules are those of a recording: what stands in a secret place is hidden whatever its kind is, except null and
    /// Booleans. So are members that no schema names, beside secrets.
    package func hidingSecrets(in value: JSONValue) -> JSONValue {
        guard hasSecrets else { return value }
        guard !mayBeSecret else { return Self.hidden(value) }
        switch value {
        case .array(let array):
            let element = elements
            return .array(array.map { element.hidingSecrets(in: $0) })
        case .object(let members):
            return .object(
                JSONObject(
                    members.map { name, part in
                        (name, member(name).map { $0.hidingSecrets(in: part) } ?? Self.hidden(part))
                    }
                )
            )
        // A value of another kind than the schema's: its meaning is unknown.
        default: return Self.hidden(value)
        }
    }

    /// Returns a part of a value with dots in the place of its secrets.
    ///
    /// - Parameters:
    ///   - part: the part.
    ///   - tokens: the path of the part in the value, as that of a patch.
    /// - Returns: the part without secrets.
    package func hidingSecrets(in part: JSONValue, at tokens: some Sequence<String>) -> JSONValue {
        self.part(at: tokens).map { $0.hidingSecrets(in: part) } ?? Self.hidden(part)
    }

    /// Returns a value that fits its schema, with a text in the place of each secret that is not null.
    ///
    /// What no schema names stays.
    package func replacingSecrets(in value: JSONValue, by text: String) -> JSONValue {
        guard hasSecrets else { return value }
        if !value.isNull, mayBeSecret { return .string(text) }
        switch value {
        case .array(let array):
            let element = elements
            return .array(array.map { element.replacingSecrets(in: $0, by: text) })
        case .object(let members):
            return .object(
                JSONObject(members.map { name, part in (name, named(name).replacingSecrets(in: part, by: text)) })
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
