package import ViewModelKit
package import ViewModelProtocol

extension AccessScope: Schemable {}

/// A scope for a user or for the members of a group.
@Schemable
package struct AccessRule: Sendable {
    /// The user or group of a rule, by its id.
    @Schemable
    package enum Principal: Sendable {
        case user(UInt32)
        case group(UInt32)
    }

    package var principal: Principal
    package var scope: AccessScope

    package init(principal: Principal, scope: AccessScope) {
        self.principal = principal
        self.scope = scope
    }
}

/// The rules for who may connect and do what: the configuration's `access`.
package struct AccessPolicy: Equatable, Sendable {
    /// The reason that a user without access receives.
    package static let refusal = "this user has no access; the configuration's access gives it"

    package var rules: [AccessRule]

    package init(rules: [AccessRule] = []) {
        self.rules = rules
    }

    /// Returns the widest scope of a user, by itself or through one of its groups; nil for no access.
    ///
    /// - Parameters:
    ///   - uid: the user. Root has the scope `admin`.
    ///   - groups: the ids of the user's groups.
    ///   - owner: the user that the daemon runs as, who has the scope `admin`.
    /// - Returns: The widest scope, or nil.
    package func scope(of uid: UInt32, groups: [UInt32], owner: UInt32) -> AccessScope? {
        guard uid != owner, uid != 0 else { return .admin }
        let scopes = rules.lazy.filter { rule in
            switch rule.principal {
            case .user(let user): user == uid
            case .group(let group): groups.contains(group)
            }
        }
        return scopes.map(\.scope).max()
    }
}
