import Accounts
import ViewModelKit

/// Declared failures that stand for errors of the accounts.
protocol AccountFailure: DeclaredFailure {
    /// Creates the failure for an error, or nil for an error that the actions do not declare.
    init?(_ error: AccountError)
}

extension AccountError {
    /// Returns the declared failure for this error, or this error if it is not declared.
    func declared(as failure: (some AccountFailure).Type) -> any Error {
        failure.init(self) ?? self
    }
}

/// Why a sign-in failed.
@Failure
enum SignInFailure: AccountFailure {
    /// The account is unknown or the password is wrong.
    case invalidCredentials(message: String)
    /// The backend did not answer, or its answer is invalid.
    @Retryable case unreachable(message: String)
    /// The backend refused the sign-in and says why.
    case rejected(message: String)

    init?(_ error: AccountError) {
        switch error.kind {
        case .invalidCredentials: self = .invalidCredentials(message: error.description)
        case .unreachable: self = .unreachable(message: error.description)
        case .rejected: self = .rejected(message: error.description)
        default: return nil
        }
    }
}

/// Why an account was not created.
@Failure
enum RegistrationFailure: AccountFailure {
    /// An account of this name exists already.
    case accountTaken(message: String)

    init?(_ error: AccountError) {
        guard error.kind == .accountTaken else { return nil }
        self = .accountTaken(message: error.description)
    }
}

/// Why the page was not fetched.
@Failure
enum FetchFailure: AccountFailure {
    /// The backend did not answer, or its answer is invalid.
    @Retryable case unreachable(message: String)
    /// The backend refused the request and says why.
    case rejected(message: String)
    /// The backend no longer accepts the token, so the user is signed out.
    case signedOut(message: String)

    init?(_ error: AccountError) {
        switch error.kind {
        case .unreachable: self = .unreachable(message: error.description)
        case .rejected: self = .rejected(message: error.description)
        case .signedOut: self = .signedOut(message: error.description)
        default: return nil
        }
    }
}

/// Why messages were not sent.
@Failure
enum SendFailure: AccountFailure {
    /// The backend no longer accepts the token, so the user is signed out and the item waits.
    case signedOut(message: String)

    init?(_ error: AccountError) {
        guard error.kind == .signedOut else { return nil }
        self = .signedOut(message: error.description)
    }
}
