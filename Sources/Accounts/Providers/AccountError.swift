public import ViewModelKit

/// The failure of an account operation; it never contains a password or a token.
///
/// A caller of an action gets the name of the kind as the error's name, and the description as its message. An action
/// that lets it pass declares it with `@Throws(AccountError.self)`.
///
/// Your own requests to the account's server throw it too: ``Kind/signedOut`` for an answer 401, ``Kind/unreachable`` if
/// the same request may succeed later, ``Kind/rejected`` otherwise.
public struct AccountError: DeclaredFailure, Hashable, CustomStringConvertible {
    /// The kind of a failure; its raw value is the name that clients see.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The name that clients see.
        public let rawValue: String

        /// Creates a kind with a name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The account is unknown or the password is wrong.
        public static let invalidCredentials = Kind(rawValue: "invalidCredentials")
        /// The backend did not answer, or its answer is invalid; the same request may succeed later.
        public static let unreachable = Kind(rawValue: "unreachable")
        /// The backend refused the request; the description is the backend's text if it sent one.
        public static let rejected = Kind(rawValue: "rejected")
        /// An account of this name exists already.
        public static let accountTaken = Kind(rawValue: "accountTaken")
        /// The token is no longer valid, or no token is stored.
        public static let signedOut = Kind(rawValue: "signedOut")
        /// The provider does not offer the operation.
        public static let unsupported = Kind(rawValue: "unsupported")
    }

    /// The kind of the failure.
    public let kind: Kind
    /// A sentence for people on one line: the backend's text if it sent one, of at most 500 Unicode scalars.
    public let description: String
    /// The delay before the next attempt that the backend asked for.
    public let retryAfter: Duration?

    /// Creates a failure, and shortens a description of more than 500 Unicode scalars.
    ///
    /// Control characters of the description become blanks.
    ///
    /// - Parameters:
    ///   - kind: the kind of the failure.
    ///   - description: a sentence for people, without secrets.
    ///   - retryAfter: the delay that the backend asked for.
    public init(_ kind: Kind, _ description: String, retryAfter: Duration? = nil) {
        self.kind = kind
        self.description = description.shown
        self.retryAfter = retryAfter
    }

    /// The failure that an action reports to its callers.
    public var failure: ActionFailure {
        ActionFailure(kind.rawValue, message: description, retryable: kind == .unreachable)
    }

    /// The kinds, for the contract.
    public static var failures: [FailureContract] {
        [
            declared(.invalidCredentials, "The account is unknown or the password is wrong."),
            declared(.unreachable, "The backend did not answer, or its answer is invalid."),
            declared(.rejected, "The backend refused the request and says why."),
            declared(.accountTaken, "An account of this name exists already."),
            declared(.signedOut, "No user is signed in, or the backend no longer accepts the token."),
            declared(.unsupported, "The account provider does not offer the operation."),
        ]
    }

    private static func declared(_ kind: Kind, _ description: String) -> FailureContract {
        FailureContract(kind.rawValue, description, retryable: kind == .unreachable)
    }
}
