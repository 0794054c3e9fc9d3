import Accounts
import ViewModelConfiguration

extension DaemonConfiguration {
    /// Returns a warning for each address of another machine that would receive passwords and tokens without
    /// encryption.
    func unsafeAddresses(_ locations: [String: ConfigurationProblem.Location]) -> [ConfigurationProblem] {
        let account = self[AccountSettings.self]
        let used: [(key: String, address: FormText<WebAddressForm>?)] =
            switch account.provider {
            case .local: []
            case .http: [("account.url", account.url)]
            case .oauth: [("account.oauth.issuer", account.oauth.issuer), ("account.url", account.url)]
            }
        return used.filter { $0.address.flatMap { try? WebAddress($0.rawValue) }?.isUnsafe ?? false }.map { key, _ in
            ConfigurationProblem(
                location: locations[key] ?? .init(source: key),
                message: "\(key): passwords and tokens go to another machine without encryption; use https://"
            )
        }
    }

    /// Returns a problem for each key that the other values require; `locations` maps a key to the source of its value.
    func contradictions(_ locations: [String: ConfigurationProblem.Location]) -> [ConfigurationProblem] {
        let account = self[AccountSettings.self]
        var required: [String] = []
        switch account.provider {
        case .local: break
        case .http:
            if account.url == nil { required.append("account.url") }
        case .oauth:
            if account.oauth.issuer == nil { required.append("account.oauth.issuer") }
            if account.oauth.clientId == nil { required.append("account.oauth.clientId") }
        }
        return AccountSettings.keys.filter { required.contains($0.name) }.map { key in
            ConfigurationProblem(
                location: locations["account.provider"] ?? .init(source: "account.provider"),
                message: "\(key.name): expected \(key.expectation), since account.provider is "
                    + "\(account.provider.rawValue), found nothing"
            )
        }
    }
}
