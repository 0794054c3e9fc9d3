import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import ViewModelKit
import ViewModelStorage

/// The answer of the token endpoint (RFC 6749, section 5.1).
package struct TokenResponse: Decodable {
    package let accessToken: AccessToken
    package let tokenType: String
    package let expiresIn: Double?
    package let refreshToken: GrantCode?
    package let idToken: GrantCode?

    /// Returns the token for the vault.
    ///
    /// `former` is the refresh token that stays valid if the answer contains no new one.
    func token(for account: String, former: Password? = nil) -> VaultToken {
        VaultToken(
            access: Password(accessToken.rawValue),
            refresh: refreshToken.map { Password($0.rawValue) } ?? former,
            expiresAt: expiresIn.map { Date(tokenLifetime: $0) },
            account: account
        )
    }
}

/// The error answer of an OAuth endpoint (RFC 6749, section 5.2).
package struct OAuthRefusal: Decodable {
    package let error: String
    let errorDescription: RefusalText?

    package var description: String { errorDescription?.text ?? "The provider refused: \(error)" }

    /// Derives the error from the status of an answer without a body, which the RFC does not allow.
    ///
    /// It fails for other statuses than 400, 401 and 403, because another server may have sent the answer.
    init?(silent answer: HTTPResponse) {
        guard answer.body.isEmpty, [400, 401, 403].contains(answer.status.code) else { return nil }
        error = answer.status.code == 400 ? "invalid_request" : "invalid_grant"
        errorDescription = RefusalText(text: "The provider refused (\(answer.status.code))")
    }
}

/// The answer of the device authorization endpoint (RFC 8628, section 3.2).
struct DeviceAuthorization: Decodable {
    let deviceCode: GrantCode
    let userCode: ProviderName
    let verificationUri: ShownAddress
    let verificationUriComplete: ShownAddress?
    let expiresIn: Double
    let interval: Double?

    var grant: DeviceGrant {
        DeviceGrant(
            prompt: DevicePrompt(
                userCode: userCode.rawValue,
                verificationUri: verificationUri.rawValue,
                verificationUriComplete: verificationUriComplete?.rawValue,
                expiresAt: Date(timeIntervalSinceNow: expiresIn.clamped(to: 0...Double.longestGrant))
            ),
            code: Password(deviceCode.rawValue),
            interval: .seconds((interval ?? 5).clamped(to: 1...3_600))
        )
    }
}

/// The answer of the `userinfo` endpoint (OpenID Connect Core, section 5.1).
struct UserInfo: Decodable {
    let sub: ProviderName
    let preferredUsername: String?
    let nickname: String?
    let name: String?
    let picture: String?
    let phoneNumber: String?

    var page: AccountPage {
        AccountPage(
            account: (preferredUsername.flatMap { ProviderName(rawValue: $0) } ?? sub).rawValue,
            nickname: nickname ?? name,
            avatar: picture,
            details: phoneNumber.map { ["phone_number": Self.masked($0)] } ?? [:]
        ).shown
    }

    /// Returns a number with all characters masked but the first three and the last four.
    ///
    /// A number of at most seven characters is masked completely.
    static func masked(_ number: String) -> String {
        guard number.count > 7 else { return String(repeating: "*", count: number.count) }
        return number.prefix(3) + String(repeating: "*", count: number.count - 7) + number.suffix(4)
    }
}

extension HTTPResponse {
    /// The OAuth error in this answer; nil if the answer is not one.
    ///
    /// Some providers send an error with the status 200.
    package var oauthRefusal: OAuthRefusal? {
        guard isDecision else { return nil }
        return decoded() ?? OAuthRefusal(silent: self)
    }
}

extension HTTPClientRequest {
    /// Makes the request a POST of a form.
    mutating func setForm(_ fields: [(String, String)]) {
        method = .POST
        setAccepted()
        headers.replaceOrAdd(name: "Content-Type", value: "application/x-www-form-urlencoded")
        let text = fields.map { "\($0.formEncoded)=\($1.formEncoded)" }.joined(separator: "&")
        body = .bytes(ByteBuffer(string: text))
    }
}

extension String {
    /// The text in percent-encoding for a form: all bytes except ASCII letters, digits and `-._~` are escaped.
    package var formEncoded: String {
        let digits = Array("0123456789ABCDEF")
        var text = ""
        for byte in utf8 {
            let scalar = Unicode.Scalar(byte)
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "-", ".", "_", "~": text.unicodeScalars.append(scalar)
            default: text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return text
    }
}
