/// An entry of the configuration's `access`: what a user, or whoever belongs to a group, may do.
package struct AccessRule: Equatable, Sendable {
    /// Whom a rule is for.
    package enum Principal: Equatable, Sendable {
        case user(UserReference)
        case group(GroupReference)
    }

    /// What somebody may do; a scope includes those before it.
    package enum Scope: String, CaseIterable, Comparable, Sendable {
        /// Read, bind and discover.
        case observe
        /// Inputs and actions, too.
        case act
        /// The sessions of other users, too.
        case admin

        package static func < (left: Scope, right: Scope) -> Bool {
            rank(left) < rank(right)
        }

        private static func rank(_ scope: Scope) -> Int {
            allCases.firstIndex(of: scope) ?? 0
        }
    }

    package var principal: Principal
    package var scope: Scope
}
