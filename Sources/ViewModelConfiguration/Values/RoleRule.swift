import JSONRPC
package import ViewModelKit
package import ViewModelProtocol
package import Yams

extension AccessScope: Schemable {}

/// A scope for the people of a provider, or for those with a claim of a value.
@Schemable
package struct RoleRule: Equatable, Sendable {
    /// The name of the claim, or the path to a member of it such as `realm_access.roles`; nil for everybody.
    package var claim: String?
    package var value: String?
    package var scope: AccessScope

    package init(claim: String? = nil, value: String? = nil, scope: AccessScope) {
        (self.claim, self.value, self.scope) = (claim, value, scope)
    }
}

extension [RoleRule] {
    /// Returns the widest scope of a person with these claims; nil for no access.
    package func scope(of claims: JSONObject) -> AccessScope? {
        lazy.filter { $0.isMet(by: claims) }.map(\.scope).max()
    }
}

extension RoleRule {
    /// Whether the claim is the value, or a list that contains it.
    fileprivate func isMet(by claims: JSONObject) -> Bool {
        guard let claim, let value else { return true }
        let found =
            claims[claim] ?? claim.split(separator: ".").reduce(JSONValue.object(claims)) { $0?[String($1)] }
        return found == .string(value) || found?.arrayValue?.contains(.string(value)) ?? false
    }
}

extension RoleRule: ConfigurableRule {
    private static var form: String { "{CLAIM: VALUE, scope: observe, act or admin}" }

    package static var expectation: String { "a list of \(form)" }

    package init(_ node: Yams.Node) throws(ValueProblem) {
        var claims: [(name: String, value: String)] = []
        var scope: AccessScope?
        for (key, value) in node.mapping ?? [:] {
            guard let name = key.string, let text = value.string else { throw ValueProblem(expected: Self.form) }
            if name == "scope" { scope = AccessScope(rawValue: text) } else { claims.append((name, text)) }
        }
        guard let scope, claims.count <= 1 else { throw ValueProblem(expected: Self.form) }
        self.init(claim: claims.first?.name, value: claims.first?.value, scope: scope)
    }
}
