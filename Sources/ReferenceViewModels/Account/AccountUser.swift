import Accounts

/// Who is signed in.
struct AccountUser: Codable, Equatable {
    /// The name that the account signs in with.
    let account: String
    /// What the person wants to be called.
    let nickname: String?

    init(_ page: AccountPage) {
        account = page.account
        nickname = page.nickname
    }
}
