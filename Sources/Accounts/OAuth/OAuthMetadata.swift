import AsyncHTTPClient
import FoundationEssentials
import ViewModelProtocol

/// The metadata of an OAuth provider (RFC 8414, OpenID Connect Discovery).
package struct OAuthMetadata: Decodable, Sendable {
    package let issuer: String
    package let tokenEndpoint: String
    package let authorizationEndpoint: String?
    package let jwksUri: String?
    package let endSessionEndpoint: String?
    let deviceAuthorizationEndpoint: String?
    package let revocationEndpoint: String?
    package let userinfoEndpoint: String?
    let tokenEndpointAuthMethodsSupported: [String]?
    package let authorizationResponseIssParameterSupported: Bool?

    /// Whether the client's secret must be in the form, because the provider supports no Basic authentication.
    var wantsSecretInForm: Bool {
        guard let methods = tokenEndpointAuthMethodsSupported else { return false }
        return !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
    }

    /// The endpoints that the daemon and the gateway use, with their names in the metadata.
    private var endpoints: [(name: String, address: String)] {
        let all = [
            ("token_endpoint", tokenEndpoint), ("authorization_endpoint", authorizationEndpoint),
            ("jwks_uri", jwksUri), ("end_session_endpoint", endSessionEndpoint),
            ("device_authorization_endpoint", deviceAuthorizationEndpoint),
            ("revocation_endpoint", revocationEndpoint), ("userinfo_endpoint", userinfoEndpoint),
        ]
        return all.compactMap { name, address in address.map { (name, $0) } }
    }

    /// Returns the reason why the metadata of `issuer` are rejected, or nil if they are valid.
    ///
    /// If the issuer's address is encrypted, all endpoints must be.
    private func problem(of issuer: String) -> String? {
        // Without this check another server could impersonate the issuer (RFC 8414, section 3.3).
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

    /// Returns the addresses of an issuer's metadata: that of RFC 8414, section 3.1, then that of OpenID Connect.
    static func addresses(of issuer: String) -> [String] {
        let issuer = Self.trimmed(issuer)
        guard let start = issuer.firstRange(of: "://")?.upperBound else { return [] }
        let slash = issuer[start...].firstIndex(of: "/") ?? issuer.endIndex
        return [
            "\(issuer[..<slash])/.well-known/oauth-authorization-server\(issuer[slash...])",
            "\(issuer)/.well-known/openid-configuration",
        ]
    }

    /// Requests an issuer's metadata in up to three attempts, because the request is safe to repeat.
    ///
    /// - Parameters:
    ///   - issuer: the address of the issuer.
    ///   - transport: the transport of the requests.
    ///   - isOpenID: whether the address of OpenID Connect is the first one.
    /// - Returns: the metadata.
    /// - Throws: ``AccountError``.
    package static func discover(
        _ issuer: String,
        over transport: any HTTPExchange,
        isOpenID: Bool = false
    ) async throws -> OAuthMetadata {
        let addresses = isOpenID ? addresses(of: issuer).reversed() : addresses(of: issuer)
        var backoff = Backoff(initial: .milliseconds(200), maximum: .seconds(2))
        var attempt = 1
        while true {
            do {
                return try await ask(issuer, at: addresses, over: transport)
            } catch let error as AccountError where error.kind == .unreachable && attempt < 3 {
                attempt += 1
                try await Task.sleep(for: backoff.delay(atLeast: min(error.retryAfter ?? .zero, .seconds(5))))
            }
        }
    }

    /// Requests an issuer's metadata once from each address until one answer is valid.
    static func ask(
        _ issuer: String,
        at addresses: [String]? = nil,
        over transport: any HTTPExchange
    ) async throws -> OAuthMetadata {
        var problem = AccountError(.unreachable, "The provider's metadata was not found")
        for address in addresses ?? Self.addresses(of: issuer) {
            var request = HTTPClientRequest(url: address)
            request.setAccepted()
            let answer = try await transport.send(request)
            guard answer.isSuccess, let metadata: OAuthMetadata = answer.decoded() else {
                if !answer.isRefused { problem = answer.unusable }
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
