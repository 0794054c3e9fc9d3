import FoundationEssentials
import ViewModelStore

/// The device authorization grant (RFC 8628).
extension OAuthProvider {
    private static var grantType: String { "urn:ietf:params:oauth:grant-type:device_code" }

    /// Requests a code that the person types on another device.
    public func beginDevice() async throws -> DeviceGrant {
        let metadata = try await metadata()
        guard let endpoint = metadata.deviceEndpoint else {
            throw AccountError(.unsupported, "The provider does not offer signing in on another device")
        }
        let answer = try await post(endpoint, [("scope", configuration.scopes)], metadata)
        if let refusal = answer.oauthRefusal { throw AccountError(.rejected, refusal.description) }
        guard answer.isSuccess, let device: DeviceAuthorization = answer.decoded(), device.isShort else {
            throw answer.unusable
        }
        return device.grant
    }

    /// Polls the token endpoint for the person's decision.
    public func poll(_ grant: DeviceGrant) async throws -> DeviceAnswer {
        let expired = AccountError(.rejected, "The code has expired")
        guard grant.prompt.expiresAt > Date() else { throw expired }
        let metadata = try await metadata()
        let fields = [("grant_type", Self.grantType), ("device_code", grant.code.revealed)]
        let answer = try await post(metadata.tokenEndpoint, fields, metadata)
        if let refusal = answer.oauthRefusal {
            switch refusal.error {
            case "authorization_pending": return .pending
            case "slow_down": return .slowDown
            case "expired_token": throw expired
            case "access_denied": throw AccountError(.rejected, refusal.text ?? "The sign-in was denied")
            default: throw AccountError(.rejected, refusal.description)
            }
        }
        return .granted(try await signedIn(try tokenAnswer(answer), as: nil))
    }
}
