/// Texts that a backend states, brought to a length that can be kept and shown many times.
extension String {
    /// The most that is shown of a text, in Unicode scalars.
    private static var longestShown: Int { 500 }
    /// The longest address, account name or code that is accepted, in bytes.
    private static var longestWhole: Int { 2048 }

    /// The text; of a longer one the first 499 Unicode scalars and an ellipsis.
    var shortened: String {
        guard utf8.count > Self.longestShown, unicodeScalars.count > Self.longestShown else { return self }
        return String(unicodeScalars.prefix(Self.longestShown - 1)) + "…"
    }

    /// Whether the text is short enough for one that means nothing when it is shortened, such as an address.
    var isShort: Bool { utf8.count <= Self.longestWhole }
}

extension AccountPage {
    /// The page with its texts shortened, and without an address that is too long.
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
