/// Limits for the length of texts in a backend's answers, which are stored and sent to many clients.
extension String {
    /// The maximum length of a shown text in Unicode scalars.
    private static var longestShown: Int { 500 }
    /// The maximum length of an address, an account name or a code in bytes.
    private static var longestWhole: Int { 2048 }

    /// The text, or of a text over 500 Unicode scalars the first 499 and an ellipsis.
    var shortened: String {
        guard utf8.count > Self.longestShown, unicodeScalars.count > Self.longestShown else { return self }
        return String(unicodeScalars.prefix(Self.longestShown - 1)) + "…"
    }

    /// Whether the length is acceptable for a text that must not be shortened, such as an address.
    var isShort: Bool { utf8.count <= Self.longestWhole }
}

extension AccountPage {
    /// The page with its texts shortened, and without an avatar address that is too long.
    ///
    /// The account's name stays as it is.
    var shortened: AccountPage {
        AccountPage(
            account: account,
            nickname: nickname?.shortened,
            avatar: avatar.flatMap { $0.isShort ? $0 : nil },
            phone: phone?.shortened,
            balance: balance?.shortened,
            coupons: coupons?.shortened
        )
    }
}
