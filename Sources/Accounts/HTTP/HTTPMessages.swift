import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import ViewModelKit

struct LoginResponse: Decodable {
    let token: AccessToken
    let expiresIn: Double?
    let autoLogin: UserResponse
}

struct PageResponse: Decodable {
    let status: String
    let autoLogin: UserResponse?
}

/// The user in an answer of the JSON API.
struct UserResponse: Decodable {
    private struct Known: Decodable {
        let account: ProviderName
        let nickname: String?
        let headimg: String?
    }

    /// The members that a page keeps.
    ///
    /// Others may be secrets, which no client must see.
    private static let details = ["user_mobile_mask", "balance", "coupon_num"]

    let page: AccountPage

    init(from decoder: any Decoder) throws {
        let known = try Known(from: decoder)
        // The decoder does not convert the names of a dictionary.
        let members = try decoder.singleValueContainer().decode([String: Detail].self)
        let details = members.filter { Self.details.contains($0.key) }.compactMapValues(\.text)
        let (account, avatar) = (known.account.rawValue, known.headimg)
        page = AccountPage(account: account, nickname: known.nickname, avatar: avatar, details: details).shown
    }
}

/// A text or a decimal number, or nil for another value.
private struct Detail: Decodable {
    let text: String?

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        text = (try? container.decode(String.self)) ?? (try? container.decode(Decimal.self)).map { "\($0)" }
    }
}

/// The reason of a refusal, or nil if it is no text: a refusal stays one then.
struct RefusalText: Decodable {
    let text: String?
}

extension RefusalText {
    init(from decoder: any Decoder) throws {
        text = try? decoder.singleValueContainer().decode(String.self)
    }
}

private struct RefusedAnswer: Decodable {
    let status: String
    let errorDesc: RefusalText?
}

extension HTTPResponse {
    /// The backend's text in an answer `{status: "error", error_desc}`; nil for any other answer.
    var refusal: String? {
        guard let refusal: RefusedAnswer = decoded(), refusal.status == "error" else { return nil }
        return refusal.errorDesc?.text ?? "The backend refused without a reason"
    }
}

extension HTTPClientRequest {
    init(posting url: String, _ token: VaultToken? = nil) {
        self.init(url: url)
        method = .POST
        setAccepted()
        if let token { authorize(with: token) }
    }

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
