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
        let shapes = callShapes(of: input.rawValue) ?? []
        for member in members where member.name != "_meta" {
            let named = shapes.flatMap { $0.member(member.name) ?? [] }
            if named.contains(where: \.hasSecrets) {
                redact(member.value, named, bytes)
                continue
            }
            switch (input, member.name) {
            case (.set, "value"): redact(setting: member.value, of: text("output"), bytes)
            case (.on, "set") where isObject(member.value, bytes):
                for (path, value) in self.members(member.value, bytes) { redact(setting: value, of: path, bytes) }
            case (.on, "result") where callShapes(of: text("member")) != nil:
                redact(member.value, resultShapes(of: text("member")), bytes)
            case (.on, "failure"), (.on, "refusal"): redact(outcome: member.value, of: text("member"), bytes)
            case (.on, "set"), (.on, "result"): redactAll(member.value, bytes)
            case _ where input.plainMembers.contains(member.name): break
            default: redactAll(member.value, bytes)
            }
        }
    }

    /// Redacts the value that a script sets an output to.
    ///
    /// The path of the output ends with its name, which has a dot if the output belongs to an action.
    private func redact(setting value: Range<Int>, of path: String, _ bytes: Bytes) {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false)
        var shapes: [SecretShape] = []
        for count in [2, 1] where parts.count > count && shapes.isEmpty {
            let instance = parts.dropLast(count).joined(separator: ".")
            shapes = outputShapes(of: parts.suffix(count).joined(separator: "."), of: instance)
        }
        if shapes.isEmpty { redactAll(value, bytes) } else { redact(value, shapes, bytes) }
    }

    /// Redacts the scripted failure or refusal of a call.
    private func redact(outcome: Range<Int>, of method: String, _ bytes: Bytes) {
        guard let called = callShapes(of: method), isObject(outcome, bytes) else { return redactAll(outcome, bytes) }
        for part in members(outcome, bytes) {
            switch part.name {
            case "details": redact(part.value, detailShapes(of: method), bytes)
            // It stands for the value that the client has sent.
            case "found" where called.contains(where: \.hasSecrets): redactAll(part.value, bytes)
            case "error", "message", "retryable", "path", "expected", "found": break
            default: redactAll(part.value, bytes)
            }
        }
    }

    private func isObject(_ value: Range<Int>, _ bytes: Bytes) -> Bool {
        JSONText.kind(of: bytes.part(value)) == .object
    }
}
