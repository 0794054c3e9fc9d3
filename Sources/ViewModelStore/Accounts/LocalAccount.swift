/// An account that lives on this machine.
public struct LocalAccount: Equatable, Sendable {
    /// How its owner signs in; compared byte by byte.
    public let account: String
    /// How its owner likes to be called.
    public var nickname: String?
    /// What the password is compared with.
    public var password: PasswordHash
    /// The balance, a number in words of digits.
    public var balance: String
    /// The number of coupons, in digits.
    public var coupons: String

    /// A new account has nothing.
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
