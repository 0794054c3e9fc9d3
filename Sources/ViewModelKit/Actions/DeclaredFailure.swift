/// An error that is an expected failure of an action when the action throws it.
///
/// Conform the error type of a service to it, so that actions need not catch and convert its errors.
public protocol ActionError: Error {
    /// The failure as callers get it.
    var failure: ActionFailure { get }
}

/// An error type whose cases are the declared failures of actions.
///
/// `@Failure` on an enum adds the conformance.
public protocol DeclaredFailure: ActionError, Sendable {
    /// The failures in the order of their declaration, for the contract.
    static var failures: [FailureContract] { get }
}

/// The contract of a declared failure (protocol, section 9).
public struct FailureContract: Sendable {
    package let error: String
    package let description: String
    package let retryable: Bool
    package let details: Schema?

    /// Creates the contract of a failure.
    ///
    /// `@Failure` generates the call.
    public init(_ error: String, _ description: String, retryable: Bool = false, details: Schema? = nil) {
        self.error = error
        self.description = description
        self.retryable = retryable
        self.details = details
    }
}

/// Declares the failures of actions as the cases of an enum.
///
/// The name of a case is the name of the failure. Its doc comment is the description in the contract and the message for
/// people. Its associated values are the details. An associated value `message` is the message instead. An action with
/// `throws(LookFailure)` has the failures in its contract. The macro also adds `Equatable`.
///
///     /// Why a look-up failed.
///     @Failure
///     enum LookFailure {
///         /// The forecasts cannot be reached.
///         @Retryable case unreachable
///         /// No town has this name.
///         case unknownTown(suggestions: [String])
///         /// The provider refuses the request, and says why.
///         case refused(message: String)
///     }
@attached(
    extension,
    conformances: DeclaredFailure,
    Equatable,
    names: named(failures),
    named(failure),
    named(checkMembers)
)
public macro Failure() = #externalMacro(module: "ViewModelMacros", type: "FailureMacro")

/// Marks a failure after which the same call may succeed later.
@attached(peer)
public macro Retryable() = #externalMacro(module: "ViewModelMacros", type: "MarkerMacro")

/// Declares the failures of an action whose Swift type does not name them.
///
/// In the short form it stands before a function with `@Action` that has a plain `throws`. A function with
/// `throws(LookFailure)` needs no attribute. In the explicit form it stands before the `Action`.
///
///     @Action
///     @Throws(AccountError.self, LookFailure.self)
///     func look() async throws -> Forecast { … }
@attached(peer)
public macro Throws<each Failure: DeclaredFailure>(_ failures: repeat (each Failure).Type) =
    #externalMacro(module: "ViewModelMacros", type: "MarkerMacro")
