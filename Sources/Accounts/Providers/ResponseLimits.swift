import FoundationEssentials
import ViewModelKit
import ViewModelStorage

// The texts in a provider's answer are stored, sent in later requests and shown by many clients. Each of these types has
// the rule of a text: an answer with a text that breaks its rule is not decoded.

/// An access token, which follows `Bearer` in a header.
package struct AccessToken: RawRepresentable, Decodable {
    package let rawValue: String

    package init?(rawValue: String) {
        guard rawValue.isValidBearerToken else { return nil }
        self.rawValue = rawValue
    }
}

/// A refresh token, an ID token or a device code, which is a field of a form.
package struct GrantCode: RawRepresentable, Decodable {
    package let rawValue: String

    package init?(rawValue: String) {
        guard rawValue.utf8.count <= String.longestToken else { return nil }
        self.rawValue = rawValue
    }
}

/// A name that is shown as it is: of an account, or a code that a person types.
struct ProviderName: RawRepresentable, Decodable {
    let rawValue: String

    init?(rawValue: String) {
        guard !rawValue.isBlank, rawValue.isShort, !rawValue.unicodeScalars.contains(where: \.isHidden) else {
            return nil
        }
        self.rawValue = rawValue
    }
}

/// The address of a page or a picture, which a client may open: `http` or `https`.
struct ShownAddress: RawRepresentable, Decodable {
    let rawValue: String

    init?(rawValue: String) {
        guard (try? WebAddress(rawValue)) != nil else { return nil }
        self.rawValue = rawValue
    }
}

extension String {
    /// The maximum length of a shown text in Unicode scalars.
    private static var longestShown: Int { 500 }
    /// The maximum length of an address, an account name or a code in bytes.
    static var longestWhole: Int { 2048 }
    /// The maximum length of a token or a device code in bytes.
    static var longestToken: Int { 16_384 }

    /// The text on one line, or of a text over 500 Unicode scalars the first 499 and an ellipsis.
    ///
    /// Control characters become blanks. Characters that change the writing direction are left out, because they would
    /// reorder what follows the text.
    var shown: String {
        // A character may have any number of scalars.
        var scalars = unicodeScalars.prefix(Self.longestShown + 1)
        if scalars.count > Self.longestShown {
            scalars.removeLast(2)
            scalars.append("…")
        }
        guard scalars.contains(where: \.isHidden) else { return String(scalars) }
        var shown = ""
        for scalar in scalars where !scalar.isDirection { shown.unicodeScalars.append(scalar.isHidden ? " " : scalar) }
        return shown
    }

    /// Whether the length is acceptable for a text that must not be shortened, such as an address.
    var isShort: Bool { utf8.count <= Self.longestWhole }

    /// Whether the text is empty or only white space.
    var isBlank: Bool { allSatisfy(\.isWhitespace) }

    /// Whether the text can follow `Bearer` in a header.
    ///
    /// It must be non-empty visible ASCII (RFC 6750, section 2.1; RFC 9110, section 5.5), and must leave room for the other
    /// headers of a request.
    var isValidBearerToken: Bool { isHeaderText(atMost: Self.longestToken) }

    /// Whether the text can be sent as the version of a page (RFC 9110, section 8.8.3).
    var isValidEntityTag: Bool { isHeaderText(atMost: Self.longestWhole) }

    /// Throws `InvalidValue` if a typed text is too long; the error does not contain the text.
    package func checkLength(atMost bytes: Int, path: String = "") throws {
        let count = utf8.count
        guard count <= bytes else {
            throw InvalidValue(path: path, expected: "a text of at most \(bytes) bytes", found: "\(count) bytes")
        }
    }

    private func isHeaderText(atMost bytes: Int) -> Bool {
        !isEmpty && utf8.count <= bytes && utf8.allSatisfy { 0x21...0x7E ~= $0 }
    }
}

extension Unicode.Scalar {
    /// Whether the character changes the writing direction of what follows it.
    fileprivate var isDirection: Bool { 0x202A...0x202E ~= value || 0x2066...0x2069 ~= value }

    /// Whether the character ends a line, controls a terminal or changes the writing direction.
    fileprivate var isHidden: Bool {
        isDirection || 0x2028...0x2029 ~= value || properties.generalCategory == .control
    }
}

extension AccountPage {
    /// The page with its texts shown on one line, and without an avatar address that no client can open.
    ///
    /// The account's name stays as it is.
    var shown: AccountPage {
        AccountPage(
            account: account,
            nickname: nickname?.shown,
            avatar: avatar.flatMap { ShownAddress(rawValue: $0)?.rawValue },
            details: details.filter { ProviderName(rawValue: $0.key) != nil }.mapValues(\.shown)
        )
    }
}

extension VaultToken {
    /// Whether the token is short enough for requests.
    ///
    /// An earlier version may have stored a longer one.
    var isUsable: Bool {
        [access, refresh ?? access].allSatisfy { GrantCode(rawValue: $0.revealed) != nil }
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
