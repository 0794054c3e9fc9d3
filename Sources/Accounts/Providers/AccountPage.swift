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
    /// Other texts and numbers that the provider sends for clients, by their names there.
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

extension AccountPage {
    /// The members of a page that was cached before pages had details.
    private enum FormerKeys: String, CodingKey {
        case phone, balance, coupons
    }

    /// Reads a page, also a cached one of an earlier release.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        account = try container.decode(String.self, forKey: .account)
        nickname = try container.decodeIfPresent(String.self, forKey: .nickname)
        avatar = try container.decodeIfPresent(String.self, forKey: .avatar)
        if let details = try container.decodeIfPresent([String: String].self, forKey: .details) {
            self.details = details
        } else {
            let former = try decoder.container(keyedBy: FormerKeys.self)
            details = [:]
            details["user_mobile_mask"] = try former.decodeIfPresent(String.self, forKey: .phone)
            details["balance"] = try former.decodeIfPresent(String.self, forKey: .balance)
            details["coupon_num"] = try former.decodeIfPresent(String.self, forKey: .coupons)
        }
    }
}
