package import FoundationEssentials
public import ViewModelKit

/// The sign-in state of a user.
@Schemable
public enum AccountState: String, CaseIterable, Sendable {
    /// The user is signed out.
    case signedOut
    /// A sign-in is in progress.
    case signingIn
    /// The user is signed in.
    case signedIn
}

/// The account of a user at one moment, as all sessions of the user show it.
package struct AccountSnapshot: Hashable, Sendable {
    /// The number of changes.
    package internal(set) var revision = 0
    /// The sign-in state.
    package internal(set) var state = AccountState.signedOut
    /// The account's page; nil while the user is signed out.
    package internal(set) var page: AccountPage?
    /// The prompt of a sign-in on another device; nil without such a sign-in.
    package internal(set) var device: DevicePrompt?
    /// When the page was fetched; nil if it never was.
    package internal(set) var fetchedAt: Date?
    /// Whether the page comes from the cache or the last request did not reach the provider.
    package internal(set) var isStale = false
    /// The number of sign-ins in progress.
    var attempts = 0

    /// Ends a failed sign-in.
    ///
    /// If no other is in progress, the user is signed out again.
    mutating func endAttempt() {
        attempts -= 1
        if attempts == 0, state == .signingIn { state = .signedOut }
    }
}
