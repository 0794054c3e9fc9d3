/// What a user may do; a scope includes those before it.
package enum AccessScope: String, CaseIterable, Comparable, Sendable {
    /// Attach, read, bind and discover.
    case observe
    /// Inputs and actions, instances and sessions of its own, too.
    case act
    /// The sessions of other users, too.
    case admin

    package static func < (left: AccessScope, right: AccessScope) -> Bool {
        left.rank < right.rank
    }

    /// Asked with every request.
    private var rank: Int {
        switch self {
        case .observe: 0
        case .act: 1
        case .admin: 2
        }
    }
}

/// What a user, or whoever belongs to a group, may do.
package struct AccessRule: Equatable, Sendable {
    /// Whom a rule is for, by the system's numbers.
    package enum Principal: Equatable, Sendable {
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

/// Who may connect and do what: the configuration's `access`.
package struct AccessPolicy: Equatable, Sendable {
    /// What somebody without access is told.
    package static let refusal = "this user has no access; the configuration's access gives it"

    package var rules: [AccessRule]

    package init(rules: [AccessRule] = []) {
        self.rules = rules
    }

    /// The widest scope that a user has by itself or by one of its groups; nil for no access.
    ///
    /// - Parameter owner: the user that the daemon runs as, who may do everything, as root may.
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
