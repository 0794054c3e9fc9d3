import JSONRPC
package import ViewModelHost
package import Yams

/// A rule of a list in the configuration.
package protocol ConfigurableRule: Encodable, SendableMetatype {
    /// The form of a list of rules; completes "expected …".
    static var expectation: String { get }

    init(_ node: Node) throws(ValueProblem)
}

extension Array: ConfigurableValue where Element: ConfigurableRule {
    package static var kind: ValueKind {
        ValueKind(expectation: Element.expectation) { found throws(ValueProblem) in
            guard let items = found.items else {
                throw ValueProblem(expected: Element.expectation, found: found.isUntyped ? found.text : nil)
            }
            var rules: [Element] = []
            // An item is a rule or a list of rules.
            for node in items.flatMap({ $0.sequence.map([Node].init) ?? [$0] }) {
                do throws(ValueProblem) {
                    rules.append(try Element(node))
                } catch {
                    var problem = error
                    problem.item = rules.count
                    throw problem
                }
            }
            do {
                return try JSONValue(encoding: rules)
            } catch {
                throw ValueProblem(expected: "\(error)")
            }
        }
    }
}

extension AccessRule: ConfigurableRule {
    package static let expectation = "a list of \(form)"
    private static let form = "{user or group: NAME, scope: \(scopes)}"
    private static let scopes = "observe, act, admin or delegate"

    package init(_ node: Node) throws(ValueProblem) {
        guard let mapping = node.mapping else {
            throw ValueProblem(expected: Self.form, found: node.string)
        }
        var principal: Principal?
        var scope: AccessGrant?
        for (key, value) in mapping {
            let name = key.string ?? ""
            let text = value.string ?? ""
            switch name {
            case "user", "group":
                guard principal == nil else { throw ValueProblem(expected: "either a user or a group", found: "both") }
                principal =
                    name == "user"
                    ? SystemNames.findUser(text).map { .user($0) } : SystemNames.findGroup(text).map { .group($0.id) }
                guard principal != nil else {
                    throw ValueProblem(member: name, expected: "a \(name) of this system", found: "\"\(text)\"")
                }
            case "scope":
                scope = AccessGrant(rawValue: text)
                guard scope != nil else {
                    throw ValueProblem(member: name, expected: Self.scopes, found: "\"\(text)\"")
                }
            default:
                throw ValueProblem(member: name, expected: "user, group or scope")
            }
        }
        guard let principal else { throw ValueProblem(expected: "a user or a group", found: "neither") }
        guard let scope else { throw ValueProblem(member: "scope", expected: Self.scopes, found: "nothing") }
        self.init(principal: principal, scope: scope)
    }
}
