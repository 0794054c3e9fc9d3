extension DaemonConfiguration {
    /// What is missing, given the other values; `places` tells where a value came from.
    func contradictions(_ places: [String: ConfigurationProblem.Place]) -> [ConfigurationProblem] {
        var required: [String] = []
        switch account.provider {
        case .local: break
        case .http:
            if account.url == nil { required.append("account.url") }
        case .oauth:
            if account.oauth.issuer == nil { required.append("account.oauth.issuer") }
            if account.oauth.clientId == nil { required.append("account.oauth.clientId") }
        }
        return ConfigurationKey.all.filter { required.contains($0.name) }.map { key in
            ConfigurationProblem(
                place: places["account.provider"] ?? .init(source: "account.provider"),
                message: "\(key.name): expected \(key.expectation), since account.provider is "
                    + "\(account.provider.rawValue), found nothing"
            )
        }
    }
}
