package import ViewModelKit

/// The failure of an account operation; it never contains a password or a token.
package struct AccountError: ActionError, Hashable, Sendable, CustomStringConvertible {
    /// The kind of a failure; its raw value is the name that clients see.
    package struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name that clients see.
        package let rawValue: String

        /// Creates a kind with a name.
        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The account is unknown or the password is wrong.
        package static let invalidCredentials = Kind(rawValue: "invalidCredentials")
        /// The backend did not answer, or its answer is invalid; the same request may succeed later.
        package static let unreachable = Kind(rawValue: "unreachable")
        /// The backend refused the request; the description is the backend's text if it sent one.
        package static let rejected = Kind(rawValue: "rejected")
        /// An account of this name exists already.
        package static let accountTaken = Kind(rawValue: "accountTaken")
        /// The token is no longer valid, or no token is stored.
        package static let signedOut = Kind(rawValue: "signedOut")
        /// The provider does not offer the operation.
        package static let unsupported = Kind(rawValue: "unsupported")
    }

    /// The kind of the failure.
    package let kind: Kind
    /// A sentence for people: the backend's text if it sent one, of at most 500 Unicode scalars.
    package let description: String
    /// The delay before the next attempt that the backend asked for.
    package let retryAfter: Duration?

    /// Creates a failure, and shortens a description of more than 500 Unicode scalars.
    package init(_ kind: Kind, _ description: String, retryAfter: Duration? = nil) {
        self.kind = kind
        self.description = description.shortened
        self.retryAfter = retryAfter
    }

    /// The failure that an action reports to its callers.
    package var failure: ActionFailure {
        ActionFailure(kind.rawValue, message: description, retryable: kind == .unreachable)
    }
}
