/// What a provider tells of an account: what the pages show.
public struct AccountPage: Codable, Hashable, Sendable {
    /// The name that the account signs in with.
    public var account: String
    /// What the person wants to be called.
    public var nickname: String?
    /// The address of a picture.
    public var avatar: String?
    /// The telephone number with its middle made unreadable.
    public var phone: String?
    /// The balance, a decimal number.
    public var balance: String?
    /// The number of red envelopes.
    public var coupons: String?

    /// Makes a page.
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
