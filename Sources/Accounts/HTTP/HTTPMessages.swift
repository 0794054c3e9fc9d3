import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import ViewModelKit

struct LoginRequest: Encodable {
    let account: String
    let password: Password
}

struct MessageRequest: Encodable {
    let text: String
}

struct LoginResponse: Decodable {
    let token: AccessToken
    let expiresIn: Double?
    let user: UserResponse

    enum CodingKeys: String, CodingKey {
        case token
        case expiresIn = "expires_in"
        case user = "auto_login"
    }
}

struct PageResponse: Decodable {
    let status: String
    let user: UserResponse?

    enum CodingKeys: String, CodingKey {
        case status
        case user = "auto_login"
    }
}

/// The user in an answer of the JSON API.
struct UserResponse: Decodable {
    let account: ProviderName
    let nickname: String?
    let headimg: String?
    let phone: String?
    let balance: Amount?
    let coupons: Amount?

    enum CodingKeys: String, CodingKey {
        case account, nickname, headimg, balance
        case phone = "user_mobile_mask"
        case coupons = "coupon_num"
    }

    var page: AccountPage {
        AccountPage(
            account: account.text,
            nickname: nickname,
            avatar: headimg,
            phone: phone,
            balance: balance?.text,
            coupons: coupons?.text
        ).shown
    }
}

/// A decimal number, which a backend sends as a string or as a JSON number.
struct Amount: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self.text = text
        } else {
            text = "\(try container.decode(Decimal.self))"
        }
    }
}

private struct RefusedAnswer: Decodable {
    let status: String
    let text: String?

    enum CodingKeys: String, CodingKey {
        case status
        case text = "error_desc"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(String.self, forKey: .status)
        // A refusal stays one if its text has another type.
        text = try? container.decode(String.self, forKey: .text)
    }
}

extension HTTPResponse {
    /// The backend's text in an answer `{status: "error", error_desc}`; nil for any other answer.
    var refusal: String? {
        guard let refusal: RefusedAnswer = decoded(), refusal.status == "error" else { return nil }
        return refusal.text ?? "The backend refused without a reason"
    }
}

extension HTTPClientRequest {
    mutating func setAccepted() {
        headers.replaceOrAdd(name: "Accept", value: "application/json")
    }

    mutating func authorize(with token: VaultToken) {
        headers.add(name: "Authorization", value: "Bearer \(token.access.revealed)")
    }

    mutating func setJSON(_ value: some Encodable) throws {
        headers.replaceOrAdd(name: "Content-Type", value: "application/json")
        body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(value)))
    }
}
