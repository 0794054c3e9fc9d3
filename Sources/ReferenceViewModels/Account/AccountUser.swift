import Accounts
import ViewModelKit

/// The signed-in user.
@Schemable
struct AccountUser {
    /// The name that the account signs in with.
    let account: String
    /// The name by which the person is addressed.
    let nickname: String?

    init(_ page: AccountPage) {
        account = page.account
        nickname = page.nickname
    }
}
