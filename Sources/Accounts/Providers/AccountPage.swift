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
    /// The other texts and numbers that the provider sends, by their names there.
    public var details: [String: String]

    /// Creates a page.
    public init(
        account: String,
        nickname: String? = nil,
        avatar: String? = nil,
        details: [String: String] = [:]
    ) {
        self.account = account
        self.nickname = nickname
        self.avatar = avatar
        self.details = details
    }
}
