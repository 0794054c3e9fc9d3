import AsyncHTTPClient
import FoundationEssentials

/// What an OAuth provider says of itself (RFC 8414, OpenID Connect Discovery).
struct OAuthMetadata: Decodable, Sendable {
    let issuer: String
    let tokenEndpoint: String
    let deviceEndpoint: String?
    let revocationEndpoint: String?
    let userinfoEndpoint: String?
    let authenticationMethods: [String]?

    enum CodingKeys: String, CodingKey {
        case issuer
        case tokenEndpoint = "token_endpoint"
        case deviceEndpoint = "device_authorization_endpoint"
        case revocationEndpoint = "revocation_endpoint"
        case userinfoEndpoint = "userinfo_endpoint"
        case authenticationMethods = "token_endpoint_auth_methods_supported"
    }

    /// Whether the client's secret goes into the form, because the provider knows no other way.
    var wantsSecretInForm: Bool {
        guard let authenticationMethods else { return false }
        return !authenticationMethods.contains("client_secret_basic")
            && authenticationMethods.contains("client_secret_post")
    }

    /// The endpoints that requests are sent to, by their names in the metadata.
    private var endpoints: [(name: String, address: String)] {
        let all: [(CodingKeys, String?)] = [
            (.tokenEndpoint, tokenEndpoint), (.deviceEndpoint, deviceEndpoint),
            (.revocationEndpoint, revocationEndpoint), (.userinfoEndpoint, userinfoEndpoint),
        ]
        return all.compactMap { key, address in address.map { (key.rawValue, $0) } }
    }

    /// Why these metadata of `issuer` are not used; nil where they are sound.
    ///
    /// No endpoint may carry secrets less safely than the issuer's own address.
    private func problem(of issuer: String) -> String? {
        // Else somebody else could pose as the issuer (RFC 8414, section 3.3).
        guard Self.trimmed(self.issuer) == Self.trimmed(issuer) else {
            return "The provider's metadata is for another issuer"
        }
        let isSecure = issuer.lowercased().hasPrefix("https:")
        for (name, address) in endpoints {
            do {
                let address = try WebAddress(address)
                guard address.isSecure || !isSecure else {
                    return "The provider's metadata cannot be used: \(name) is not encrypted"
                }
            } catch {
                return "The provider's metadata cannot be used: \(name) \(error)"
            }
        }
        return nil
    }

    /// Where an issuer's metadata is: RFC 8414, section 3.1, then OpenID's place.
    static func addresses(of issuer: String) -> [String] {
        let issuer = Self.trimmed(issuer)
        guard let start = issuer.firstRange(of: "://")?.upperBound else { return [] }
        let slash = issuer[start...].firstIndex(of: "/") ?? issuer.endIndex
        return [
            "\(issuer[..<slash])/.well-known/oauth-authorization-server\(issuer[slash...])",
            "\(issuer)/.well-known/openid-configuration",
        ]
    }

    /// Asks an issuer for its metadata, a few times: asking is safe to repeat.
    static func discover(_ issuer: String, over transport: any HTTPExchange) async throws -> OAuthMetadata {
        var backoff = Backoff(first: .milliseconds(200), limit: .seconds(2))
        var attempt = 1
        while true {
            do {
                return try await ask(issuer, over: transport)
            } catch let error as AccountError where error.kind == .unreachable && attempt < 3 {
                attempt += 1
                do {
                    try await Task.sleep(for: backoff.delay(atLeast: min(error.retryAfter ?? .zero, .seconds(5))))
                } catch {
                    throw error
                }
            }
        }
    }

    /// Asks an issuer for its metadata, once.
    static func ask(_ issuer: String, over transport: any HTTPExchange) async throws -> OAuthMetadata {
        var problem = AccountError(.unreachable, "The provider's metadata was not found")
        for address in addresses(of: issuer) {
            var request = HTTPClientRequest(url: address)
            request.setAccepted()
            let answer = try await transport.send(request)
            guard answer.isSuccess, let metadata: OAuthMetadata = answer.decoded() else {
                if !answer.isClientError { problem = answer.unusable }
                continue
            }
            guard let reason = metadata.problem(of: issuer) else { return metadata }
            problem = AccountError(.unreachable, reason)
        }
        throw problem
    }

    private static func trimmed(_ issuer: String) -> String {
        issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    }
}
