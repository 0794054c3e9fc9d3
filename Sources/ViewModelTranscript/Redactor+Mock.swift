import ViewModelContract
import ViewModelProtocol

/// The scripts of a mock: their values have the schemas of the members that they name.
extension Redactor {
    /// Returns the rule of the params of an input of the ViewModel `mock`.
    func script(_ params: JSONPart, of input: MockInput) -> RedactionRule {
        let text = { (name: String) in params.members.last { $0.name == name }?.value.string ?? "" }
        // In a daemon that is no mock, a client may have given the id `mock` to an instance of any type.
        let shape = callShape(of: input.rawValue) ?? .unknown
        return .object { [self] name in
            if name == Meta.member { return .meta }
            let named = shape.named(name)
            if named.hasSecrets { return .shape(named) }
            switch (input, name) {
            case (.set, "value"): return rule(setting: text("output")) ?? .replace()
            case (.on, "set"): return .object { self.rule(setting: $0) }
            case (.on, "result"):
                let member = text("member")
                return callShape(of: member) == nil ? .replace() : .shape(resultShape(of: member))
            case (.on, "failure"), (.on, "refusal"): return rule(forOutcomeOf: text("member"))
            default: return input.plainMembers.contains(name) ? .keep : nil
            }
        }
    }

    /// Returns the rule of the value that a script sets; nil for an unknown output.
    ///
    /// The path of the output ends with its name, which has a dot if the output belongs to an action.
    private func rule(setting path: String) -> RedactionRule? {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        for count in [2, 1] where parts.count > count {
            let instance = parts.dropLast(count).joined(separator: ".")
            let shape = outputShape(of: parts.suffix(count).joined(separator: "."), of: instance)
            if !shape.isUnknown { return .shape(shape) }
        }
        return nil
    }

    /// Returns the rule of the scripted failure or refusal of a call.
    private func rule(forOutcomeOf method: String) -> RedactionRule {
        guard let called = callShape(of: method) else { return .replace() }
        let details = detailShape(of: method)
        return .object { name in
            switch name {
            case "details": .shape(details)
            // It stands for the value that the client has sent.
            case "found" where called.hasSecrets: .replace()
            case "error", "message", "retryable", "path", "expected", "found": .keep
            default: nil
            }
        }
    }
}
