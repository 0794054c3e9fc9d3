/// The scope of a user.
///
/// Each scope includes the ones before it.
package enum AccessScope: String, CaseIterable, Codable, Comparable, Sendable {
    /// Attach, read, bind and discover.
    case observe
    /// Also call inputs and actions, and open and close instances and the user's own sessions.
    case act
    /// Also reach the sessions of other users.
    case admin

    package static func < (left: AccessScope, right: AccessScope) -> Bool {
        left.rank < right.rank
    }

    /// The order of the scopes.
    private var rank: Int {
        switch self {
        case .observe: 0
        case .act: 1
        case .admin: 2
        }
    }
}
