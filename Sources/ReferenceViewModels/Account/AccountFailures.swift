import ViewModelKit

// The failures of accounts that the actions declare. An `AccountError` has the same names, so the actions let it pass.

/// Why a sign-in failed.
@Failure
enum SignInFailure {
    /// The account is unknown or the password is wrong.
    case invalidCredentials(message: String)
    /// The backend did not answer, or its answer is invalid.
    @Retryable case unreachable(message: String)
    /// The backend refused the sign-in and says why.
    case rejected(message: String)
}

/// Why an account was not created.
@Failure
enum RegistrationFailure {
    /// An account of this name exists already.
    case accountTaken(message: String)
}

/// Why the page was not fetched.
@Failure
enum FetchFailure {
    /// The backend did not answer, or its answer is invalid.
    @Retryable case unreachable(message: String)
    /// The backend refused the request and says why.
    case rejected(message: String)
    /// The backend no longer accepts the token, so the user is signed out.
    case signedOut(message: String)
}

/// Why messages were not sent.
@Failure
enum SendFailure {
    /// The backend no longer accepts the token, so the user is signed out and the item waits.
    case signedOut(message: String)
}
