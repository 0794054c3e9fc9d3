public import ViewModelKit

/// The data of an account that its provider sends.
@Schemable
public struct AccountPage: Codable, Hashable, Sendable {
    /// The name that the account signs in with.
    public var account: String
    /// The name by which the person is addressed.
    public var nickname: String?
    /// The address of a picture.
    public var avatar: String?
    /// The telephone number with its middle digits masked.
    public var phone: String?
    /// The balance as a decimal number.
    public var balance: String?
    /// The number of coupons.
    public var coupons: String?

    /// Creates a page.
    public init(
        account: String,
        nickname: String? = nil,
        avatar: String? = nil,
        phone: String? = nil,
        balance: String? = nil,
        coupons: String? = nil
    ) {
        self.account = account
        self.nickname = nickname
        self.avatar = avatar
        self.phone = phone
        self.balance = balance
        self.coupons = coupons
    }
}
