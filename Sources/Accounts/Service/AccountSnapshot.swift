public import FoundationEssentials

/// Whether somebody is signed in.
public enum AccountState: String, Codable, CaseIterable, Sendable {
    /// Nobody is.
    case signedOut
    /// Somebody is about to be.
    case signingIn
    /// Somebody is.
    case signedIn
}

/// The account of a user at one moment, as every session of the user sees it.
public struct AccountSnapshot: Hashable, Sendable {
    /// Grows with each change, so that the newer of two can be told.
    public internal(set) var revision = 0
    /// Whether somebody is signed in.
    public internal(set) var state = AccountState.signedOut
    /// What is known of the account, while somebody is signed in.
    public internal(set) var page: AccountPage?
    /// What is shown while somebody signs in on another device.
    public internal(set) var device: DevicePrompt?
    /// When the page was fetched; nil where it never was.
    public internal(set) var fetchedAt: Date?
    /// Whether the page is from before and has not been confirmed since.
    public internal(set) var isStale = false
    /// How many sign-ins are going on.
    var attempts = 0

    /// Nobody is signed in.
    public init() {}

    /// A sign-in has come to nothing.
    mutating func endAttempt() {
        attempts -= 1
        if attempts == 0, state == .signingIn { state = .signedOut }
    }
}
