import JSONRPC
import ViewModelHost
import ViewModelProtocol
import Yams

extension [AccessRule]: ConfigurableValue {
    package static var kind: ValueKind {
        ValueKind(expectation: AccessRule.expectation) { found throws(ValueProblem) in
            guard let items = found.items else {
                throw ValueProblem(expected: AccessRule.expectation, found: found.isUntyped ? found.text : nil)
            }
            let rules = try AccessRule.rules(from: items)
            do {
                return try JSONValue(encoding: rules)
            } catch {
                throw ValueProblem(expected: "\(error)")
            }
        }
    }
}

extension AccessRule {
    /// The form of a list of rules; completes "expected …".
    static let expectation = "a list of {user or group: NAME, scope: observe, act or admin}"

    /// Reads rules from items, each of which is a rule or a list of rules.
    ///
    /// - Throws: ``ValueProblem`` with the index of the first invalid rule.
    static func rules(from items: [Node]) throws(ValueProblem) -> [AccessRule] {
        var rules: [AccessRule] = []
        for node in items.flatMap({ $0.sequence.map(Array.init) ?? [$0] }) {
            do {
                rules.append(try AccessRule(node))
            } catch {
                var problem = error
                problem.item = rules.count
                throw problem
            }
        }
        return rules
    }

    private init(_ node: Node) throws(ValueProblem) {
        guard let mapping = node.mapping else {
            throw ValueProblem(expected: "{user or group: NAME, scope: observe, act or admin}", found: node.string)
        }
        var principal: Principal?
        var scope: AccessScope?
        for (key, value) in mapping {
            let name = key.string ?? ""
            let text = value.string ?? ""
            switch name {
            case "user", "group":
                guard principal == nil else { throw ValueProblem(expected: "either a user or a group", found: "both") }
                principal = try Principal(name, text)
            case "scope":
                scope = AccessScope(rawValue: text)
                guard scope != nil else {
                    throw ValueProblem(member: name, expected: "observe, act or admin", found: "\"\(text)\"")
                }
            default:
                throw ValueProblem(member: name, expected: "user, group or scope")
            }
        }
        guard let principal else { throw ValueProblem(expected: "a user or a group", found: "neither") }
        guard let scope else {
            throw ValueProblem(member: "scope", expected: "observe, act or admin", found: "nothing")
        }
        self.init(principal: principal, scope: scope)
    }
}

extension AccessRule.Principal {
    fileprivate init(_ kind: String, _ name: String) throws(ValueProblem) {
        let found =
            kind == "user"
            ? SystemNames.findUser(name).map { Self.user($0) }
            : SystemNames.findGroup(name).map { Self.group($0.id) }
        guard let found else {
            throw ValueProblem(member: kind, expected: "a \(kind) of this system", found: "\"\(name)\"")
        }
        self = found
    }
}
