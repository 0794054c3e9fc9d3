import ViewModelContract
import ViewModelProtocol

/// What a redactor does with a value of a message.
indirect enum RedactionRule {
    /// The value stays.
    case keep
    /// Each name, string and number in the value is replaced.
    ///
    /// Those of a secret are also looked for in later messages.
    case replace(isSecret: Bool = false)
    /// A value without parts stays, and another one is replaced.
    case scalar
    /// A JSON Pointer, whose first tokens stay; the closure returns their number.
    case path(([String]) -> Int)
    /// An array whose elements have the rule.
    case array(RedactionRule)
    /// An object whose names are those of the contract or the protocol, or are replaced.
    case dictionary(RedactionRule)
    /// An object or an array. A part without a rule is replaced, with its name.
    case parts(member: (String) -> RedactionRule?, element: () -> RedactionRule?)
    /// A rule that depends on the value.
    case of((JSONPart) -> RedactionRule)

    /// Returns the rule of an object.
    static func object(_ member: @escaping (String) -> RedactionRule?) -> Self {
        .parts(member: member, element: { nil })
    }

    /// Returns the rule of a value whose secrets the shape shows.
    static func shape(_ shape: SecretShape) -> Self {
        guard shape.hasSecrets else { return .keep }
        guard !shape.mayBeSecret else { return .replace(isSecret: true) }
        return .parts(member: { shape.member($0).map(Self.shape) }) {
            shape.elements.isUnknown ? nil : .shape(shape.elements)
        }
    }

    /// Returns the rule of the params of a member, which may be a value, or of the arguments of a type.
    static func params(_ shape: SecretShape, isValue: Bool = true) -> Self {
        let value = isValue && !shape.isUnknown ? Self.shape(shape) : nil
        let member = { (name: String) -> RedactionRule? in
            if name == Meta.member { return .meta }
            let named = shape.named(name)
            if !named.isUnknown { return .shape(named) }
            return name == "value" ? value : nil
        }
        return .parts(member: member, element: { value })
    }

    static var meta: Self { .object { ["deadline", "key"].contains($0) ? .scalar : nil } }

    /// Creates the rule of a value of the protocol from its JSON Schema.
    init(_ schema: JSONValue) {
        let any = JSONValue.object([:])
        if schema == any || schema["additionalProperties"] == any {
            self = .keep
        } else if let members = schema["properties"] {
            self = .object { $0 == Meta.member ? .meta : members[$0].map { RedactionRule($0) } }
        } else if let element = schema["items"] {
            self = .array(RedactionRule(element))
        } else if let value = schema["additionalProperties"] {
            self = .dictionary(RedactionRule(value))
        } else {
            self = schema["anyOf"]?[0].map { RedactionRule($0) } ?? .scalar
        }
    }

    /// Returns the rule of a member of an object.
    func member(_ name: String) -> RedactionRule? {
        if case .parts(let member, _) = self { member(name) } else { nil }
    }
}
