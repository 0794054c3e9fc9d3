public import ViewModelKit
public import ViewModelStore

/// What somebody signs in with; the password never prints itself.
public struct Credentials: Sendable {
    /// The account's name.
    public let account: String
    /// The password.
    public let password: Password

    /// Makes credentials of what was typed.
    public init(account: String, password: Password) {
        self.account = account
        self.password = password
    }
}

/// What a provider gives for a sign-in: a token, and the page if it came along.
public struct SignIn: Sendable {
    /// What later requests are authorized with.
    public var token: VaultToken
    /// What is known of the account.
    public var page: AccountPage
    /// The version of the page, where the backend names versions.
    public var etag: String?

    /// Makes a sign-in.
    public init(token: VaultToken, page: AccountPage, etag: String? = nil) {
        self.token = token
        self.page = page
        self.etag = etag
    }
}
