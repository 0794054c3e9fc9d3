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

extension AccountPage {
    /// The telephone number with its middle digits masked.
    var phone: String? { details["user_mobile_mask"] ?? details["phone_number"] }
    /// The balance as a decimal number.
    var balance: String? { details["balance"] }
    /// The number of coupons.
    var coupons: String? { details["coupon_num"] }
}
