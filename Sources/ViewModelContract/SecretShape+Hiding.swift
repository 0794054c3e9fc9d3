package import ViewModelProtocol

extension SecretShape {
    /// The text that stands for a secret.
    package static let dots = "•••"

    /// Returns a value with dots in the place of its secrets.
    ///
    /// The rules are those of a recording: what stands in a secret place is hidden whatever its kind is, except null and
    /// Booleans. So are members that no schema names, beside secrets.
    package func hidingSecrets(in value: JSONValue) -> JSONValue {
        replacing(in: value, secrets: Self.hidden, others: Self.hidden)
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
        replacing(in: value, secrets: { $0.isNull ? $0 : .string(text) }, others: \.self)
    }

    /// Returns a value with others in the place of its secrets, and of the parts that no schema describes beside secrets.
    private func replacing(
        in value: JSONValue,
        secrets: (JSONValue) -> JSONValue,
        others: (JSONValue) -> JSONValue
    ) -> JSONValue {
        guard hasSecrets else { return value }
        guard !mayBeSecret else { return secrets(value) }
        switch value {
        case .array(let array):
            let element = elements
            return .array(array.map { element.replacing(in: $0, secrets: secrets, others: others) })
        case .object(let members):
            return .object(
                JSONObject(
                    members.map { name, part in
                        (name, member(name)?.replacing(in: part, secrets: secrets, others: others) ?? others(part))
                    }
                )
            )
        // A value of another kind than the schema's: its meaning is unknown.
        default: return others(value)
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
