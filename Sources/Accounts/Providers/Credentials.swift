public import ViewModelKit
public import ViewModelStore

/// An account name and a password; the description of the password never contains its text.
public struct Credentials: Sendable {
    /// The account's name.
    public let account: String
    /// The password.
    public let password: Password

    /// Creates credentials.
    public init(account: String, password: Password) {
        self.account = account
        self.password = password
    }
}

/// The result of a sign-in: a token and the account's page.
public struct SignIn: Sendable {
    /// The token that authorizes later requests.
    public var token: VaultToken
    /// The account's page.
    public var page: AccountPage
    /// The version of the page; nil if the backend sends none.
    public var etag: String?

    /// Creates the result of a sign-in.
    public init(token: VaultToken, page: AccountPage, etag: String? = nil) {
        self.token = token
        self.page = page
        self.etag = etag
    }
}
