import ViewModelConfiguration

/// The hosts under which browsers find a gateway, and the address of its page.
struct GatewayAddresses: Equatable, Sendable {
    /// The hosts that requests may name.
    let hosts: [String]
    let page: String
    /// The path of the page, with a slash at both ends.
    let base: String
    let cookieName: String

    /// Creates the addresses of a TCP port, on which the gateway listens at an IP address.
    init(address: String, port: Int, _ configuration: DaemonConfiguration.Gateway) {
        base = Self.base(configuration)
        let isSecure = configuration.tls.certificateFile != nil
        let isDefault = port == (isSecure ? 443 : 80)
        let named = Self.words(configuration.hosts.rawValue)
        var loopback = ["127.0.0.1", "localhost", "[::1]"]
        let host = address.contains(":") ? "[\(address)]" : address
        // The other addresses of this machine's own network have no name. Another process may listen at 127.0.0.1.
        if address.hasPrefix("127."), !loopback.contains(host) { loopback = [host] }
        hosts = named + loopback.flatMap { isDefault ? [$0, "\($0):\(port)"] : ["\($0):\(port)"] }
        let own = loopback.contains(host) ? host : loopback[0]
        page = (isSecure ? "https://" : "http://") + (named.first ?? "\(own):\(port)") + base
        cookieName = "viewmodel-\(port)"
    }

    /// Creates the addresses of a socket for a reverse proxy, which browsers reach with TLS.
    init(proxied configuration: DaemonConfiguration.Gateway) {
        hosts = Self.words(configuration.hosts.rawValue)
        base = Self.base(configuration)
        page = "https://" + (hosts.first ?? "localhost") + base
        cookieName = "viewmodel"
    }

    private static func base(_ configuration: DaemonConfiguration.Gateway) -> String {
        let path = configuration.path.rawValue
        return path.hasSuffix("/") ? path : path + "/"
    }

    static func words(_ text: String) -> [String] {
        text.split(separator: " ").map(String.init)
    }

    /// Checks the keys of `gateway` against each other.
    ///
    /// - Throws: `ConfigurationError` for an address that other machines reach without TLS, for half of TLS, and for a
    ///   missing host.
    static func check(_ configuration: DaemonConfiguration.Gateway) throws(ConfigurationError) {
        var problems: [(key: String, message: String)] = []
        let (tls, listen) = (configuration.tls, configuration.listen)
        if (tls.certificateFile == nil) != (tls.keyFile == nil) {
            problems.append(("gateway.tls", "expected certificateFile and keyFile, or neither"))
        }
        if !listen.isLocal, tls.certificateFile == nil {
            problems.append(
                (
                    "gateway.listen",
                    "\(listen) can be reached from other machines; configure gateway.tls, or listen on 127.0.0.1"
                )
            )
        }
        if configuration.hosts.rawValue.isEmpty, listen.path != nil || !listen.isLocal {
            problems.append(("gateway.hosts", "expected the host that browsers name, with gateway.listen \(listen)"))
        }
        problems += TeamSettings.problems(configuration)
        guard !problems.isEmpty else { return }
        throw ConfigurationError(problems: problems.map { .init(location: .init(source: $0.key), message: $0.message) })
    }
}
