import Accounts
import Foundation
import UnixIO
import ViewModelConfiguration
import ViewModelHost
import ViewModelKit

/// What the gateway needs to let people sign in at a provider.
struct TeamSettings: Sendable {
    let provider: OAuthConfiguration
    let seal: CookieSeal
    let roles: [RoleRule]
    /// The audience of bearer tokens, or nil if none is accepted.
    let audience: String?
    /// The address of the gateway's page, with a slash at its end.
    let page: String
    let lifetime: Int
    let idleSeconds: Int

    /// Reads the settings; nil without `gateway.openid.issuer`.
    ///
    /// - Parameters:
    ///   - configuration: the keys of `gateway`.
    ///   - page: the address of the gateway's page.
    ///   - ownSecret: the secret of a gateway that shares its cookies with no other one.
    /// - Throws: `ConfigurationError` for a secret that cannot be read.
    init?(
        _ configuration: DaemonConfiguration.Gateway,
        page: String,
        ownSecret: String
    ) throws(ConfigurationError) {
        let openid = configuration.openid
        guard let issuer = openid.issuer?.rawValue, let clientID = openid.clientID?.rawValue else { return nil }
        var provider = OAuthConfiguration.standard
        (provider.issuer, provider.clientID, provider.scopes) = (issuer, clientID, openid.scopes.rawValue)
        provider.clientSecret = try openid.clientSecretFile.map { file throws(ConfigurationError) in
            Password(try SecretFile.text(in: file.rawValue, of: "gateway.openid.clientSecretFile"))
        }
        self.provider = provider
        let secret = try Self.sharedSecret(configuration) ?? Array(ownSecret.utf8)
        seal = CookieSeal(secret: secret, issuer: issuer, clientID: clientID)
        (roles, audience, self.page) = (openid.roles, openid.audience?.rawValue, page)
        (lifetime, idleSeconds) = (configuration.cookieSeconds, openid.idleSeconds)
    }

    /// Returns the key that several gateways have, or nil.
    private static func sharedSecret(
        _ configuration: DaemonConfiguration.Gateway
    ) throws(ConfigurationError) -> [UInt8]? {
        let credential = ProcessText.variables["CREDENTIALS_DIRECTORY"].map { "\($0)/\(ViewModelGateway.name).key" }
        let existing = credential.flatMap { stat(of: $0) == nil ? nil : $0 }
        guard let path = configuration.keyFile?.rawValue ?? existing else { return nil }
        let text = try SecretFile.text(in: path, of: "gateway.keyFile")
        guard let key = Data(base64Encoded: text), key.count == 32 else {
            let message = "\(path) is not 32 bytes in base64. Run: head -c 32 /dev/urandom | base64 > \(path)"
            throw ConfigurationError(problems: [.init(location: .init(source: "gateway.keyFile"), message: message)])
        }
        return Array(key)
    }

    /// Returns the reasons why the keys of `gateway.openid` cannot be used, with the keys.
    static func problems(_ configuration: DaemonConfiguration.Gateway) -> [(key: String, message: String)] {
        let openid = configuration.openid
        guard let issuer = openid.issuer?.rawValue else { return [] }
        var problems: [(key: String, message: String)] = []
        do throws(WebAddress.Problem) {
            let address = try WebAddress(issuer)
            _ = try address.base
            // It ends the issuer in `issuer|subject`.
            if issuer.contains("|") { problems.append(("gateway.openid.issuer", "the address has a |")) }
            if address.isUnsafe { problems.append(("gateway.openid.issuer", "expected https:// for another machine")) }
        } catch {
            problems.append(("gateway.openid.issuer", "the address \(error)"))
        }
        if openid.clientID == nil {
            problems.append(("gateway.openid.clientID", "expected the id of the gateway, found nothing"))
        }
        if openid.roles.isEmpty {
            problems.append(("gateway.openid.roles", "expected \(RoleRule.expectation); without one nobody has access"))
        }
        if openid.audience == openid.clientID, openid.audience != nil {
            problems.append(
                ("gateway.openid.audience", "is gateway.openid.clientID, so that ID tokens would be bearer tokens")
            )
        }
        if configuration.hosts.rawValue.isEmpty {
            problems.append(("gateway.hosts", "expected the host that browsers name, with gateway.openid"))
        }
        if configuration.tls.certificateFile == nil, configuration.listen.path == nil {
            problems.append(
                (
                    "gateway.openid",
                    "browsers need https://; configure gateway.tls, or the path of a socket for a reverse proxy in "
                        + "gateway.listen"
                )
            )
        }
        return problems
    }
}
