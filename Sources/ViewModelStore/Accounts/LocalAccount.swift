/// An account that the daemon itself keeps.
public struct LocalAccount: Equatable, Sendable {
    /// The name that its owner signs in with.
    ///
    /// Names are compared byte by byte.
    public let account: String
    /// The owner's nickname.
    public var nickname: String?
    /// The hash of the password.
    public var password: PasswordHash
    /// The balance as a decimal number.
    public var balance: String
    /// The number of coupons in decimal digits.
    public var coupons: String

    /// Creates an account.
    ///
    /// A new account has neither balance nor coupons.
    public init(
        account: String,
        nickname: String? = nil,
        password: PasswordHash,
        balance: String = "0",
        coupons: String = "0"
    ) {
        self.account = account
        self.nickname = nickname
        self.password = password
        self.balance = balance
        self.coupons = coupons
    }
}
