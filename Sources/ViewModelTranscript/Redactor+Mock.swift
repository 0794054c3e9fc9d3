import ViewModelContract
import ViewModelProtocol

/// The scripts of a mock: their values have the schemas of the members that they name.
extension Redactor {
    /// Redacts the params of an input of the ViewModel `mock`.
    func redact(script params: Range<Int>, of input: MockInput, _ bytes: Bytes) {
        guard isObject(params, bytes) else { return redactAll(params, bytes) }
        let members = members(params, bytes)
        func text(_ name: String) -> String {
            members.last { $0.name == name }.flatMap { string($0.value, bytes) } ?? ""
        }
        // In a daemon that is no mock, a client may have given the id `mock` to an instance of any type.
        let shape = callShape(of: input.rawValue) ?? .unknown
        for member in members {
            guard member.name != Meta.member else {
                redact(meta: member.value, bytes)
                continue
            }
            let named = shape.named(member.name)
            if named.hasSecrets {
                redact(member.value, named, bytes)
                continue
            }
            switch (input, member.name) {
            case (.set, "value"): redact(member.value, as: self.shape(setting: text("output")), bytes)
            case (.on, "set") where isObject(member.value, bytes):
                for part in self.members(member.value, bytes) {
                    let shape = self.shape(setting: part.name)
                    if shape.isUnknown { redactUnknown(part, bytes) } else { redact(part.value, shape, bytes) }
                }
            case (.on, "result") where callShape(of: text("member")) != nil:
                redact(member.value, resultShape(of: text("member")), bytes)
            case (.on, "failure"), (.on, "refusal"): redact(outcome: member.value, of: text("member"), bytes)
            case (.on, "set"), (.on, "result"): redactAll(member.value, bytes)
            case _ where input.plainMembers.contains(member.name): break
            default: redactUnknown(member, bytes)
            }
        }
    }

    /// Returns the shape of the output that a script sets, which is unknown for an unknown output.
    ///
    /// The path of the output ends with its name, which has a dot if the output belongs to an action.
    private func shape(setting path: String) -> SecretShape {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        var shape = SecretShape.unknown
        for count in [2, 1] where parts.count > count && shape.isUnknown {
            let instance = parts.dropLast(count).joined(separator: ".")
            shape = outputShape(of: parts.suffix(count).joined(separator: "."), of: instance)
        }
        return shape
    }

    /// Redacts the scripted failure or refusal of a call.
    private func redact(outcome: Range<Int>, of method: String, _ bytes: Bytes) {
        guard let called = callShape(of: method), isObject(outcome, bytes) else { return redactAll(outcome, bytes) }
        for part in members(outcome, bytes) {
            switch part.name {
            case "details": redact(part.value, detailShape(of: method), bytes)
            // It stands for the value that the client has sent.
            case "found" where called.hasSecrets: redactAll(part.value, bytes)
            case "error", "message", "retryable", "path", "expected", "found": break
            default: redactUnknown(part, bytes)
            }
        }
    }
}
