package import ViewModelKit
package import ViewModelProtocol

/// What a rule grants: a scope of the protocol, or `delegate`, which includes none of them.
package enum AccessGrant: String, CaseIterable, Comparable, Schemable, Sendable {
    case observe, act, admin
    /// Only `connection.actFor`, for a front such as the gateway.
    ///
    /// It prevails over the scopes that other rules give to the same user.
    case delegate

    /// The scope, or nil for `delegate`.
    package var scope: AccessScope? { AccessScope(rawValue: rawValue) }

    package static func < (left: AccessGrant, right: AccessGrant) -> Bool {
        guard let left = left.scope, let right = right.scope else { return right == .delegate && left != right }
        return left < right
    }
}

/// A grant for a user or for the members of a group.
@Schemable
package struct AccessRule: Sendable {
    /// The user or group of a rule, by its id.
    @Schemable
    package enum Principal: Sendable {
        case user(UInt32)
        case group(UInt32)
    }

    package var principal: Principal
    package var scope: AccessGrant

    package init(principal: Principal, scope: AccessGrant) {
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

    /// Returns the grant of a user, by itself or through one of its groups; nil for no access.
    ///
    /// Numbers of people are no Unix users, whatever the kernel says.
    ///
    /// - Parameters:
    ///   - uid: the user. Root has the scope `admin`.
    ///   - groups: the ids of the user's groups.
    ///   - owner: the user that the daemon runs as, who has the scope `admin`.
    /// - Returns: `delegate` if a rule grants it, else the widest scope, or nil.
    package func grant(of uid: UInt32, groups: [UInt32], owner: UInt32) -> AccessGrant? {
        guard uid != owner, uid != 0 else { return .admin }
        guard !ClosedRange.ofPeople.contains(uid) else { return nil }
        let grants = rules.lazy.filter { rule in
            switch rule.principal {
            case .user(let user): user == uid
            case .group(let group): groups.contains(group)
            }
        }
        return grants.map(\.scope).max()
    }
}
