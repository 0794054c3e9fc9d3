import FoundationEssentials

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

/// Bounds for the numbers in a backend's answers, so that dates and durations can hold them.
extension Double {
    /// The maximum lifetime of a device code in seconds: one day.
    static let longestGrant = 86_400.0
    /// The maximum lifetime of a token in seconds: ten years.
    static let longestToken = 315_360_000.0

    /// Returns the number or the nearest bound of the range; NaN becomes the lower bound.
    func clamped(to range: ClosedRange<Double>) -> Double {
        isNaN ? range.lowerBound : Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

extension Date {
    /// Creates the expiry of a token from the lifetime in seconds that a backend sent.
    init(tokenLifetime seconds: Double) {
        self.init(timeIntervalSinceNow: seconds.clamped(to: 0...Double.longestToken))
    }
}

extension String {
    /// Whether the text can follow `Bearer` in a header.
    ///
    /// It must be non-empty visible ASCII (RFC 6750, section 2.1; RFC 9110, section 5.5).
    var isValidBearerToken: Bool {
        !isEmpty && utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}

/// The name of an account in a provider's answer; a blank one fails to decode.
struct AccountName: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        text = try container.decode(String.self)
        guard !text.isBlank else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The name of an account is blank")
        }
    }
}

extension String {
    /// Whether the text is empty or only white space.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }
}
