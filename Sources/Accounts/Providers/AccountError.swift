public import ViewModelKit

/// Why something about an account could not be done; it never carries a password or a token.
public struct AccountError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; its raw value is the name that clients see.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name that clients see.
        public let rawValue: String

        /// A kind of this name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The account is unknown or the password is wrong.
        public static let invalidCredentials = Kind(rawValue: "invalidCredentials")
        /// The backend did not answer, or not sensibly; the same may succeed later.
        public static let unreachable = Kind(rawValue: "unreachable")
        /// The backend said no, in its own words.
        public static let rejected = Kind(rawValue: "rejected")
        /// An account of this name exists already.
        public static let accountTaken = Kind(rawValue: "accountTaken")
        /// The token is good no more, or there is none.
        public static let signedOut = Kind(rawValue: "signedOut")
        /// The provider does not offer this.
        public static let unsupported = Kind(rawValue: "unsupported")
    }

    /// What kind of failure it is.
    public let kind: Kind
    /// A sentence for people: the backend's where it gave one, at most 500 characters of it.
    public let description: String
    /// How long the backend asked to wait before the next attempt.
    public let retryAfter: Duration?

    /// Makes a failure; a longer description is shortened.
    public init(_ kind: Kind, _ description: String, retryAfter: Duration? = nil) {
        self.kind = kind
        self.description = description.shortened
        self.retryAfter = retryAfter
    }

    /// What the callers of an action get to know.
    public var failure: ActionFailure {
        ActionFailure(kind.rawValue, message: description, retryable: kind == .unreachable)
    }
}
