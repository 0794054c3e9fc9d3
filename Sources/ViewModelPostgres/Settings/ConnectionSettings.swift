import CPostgres
package import ViewModelStorage

/// The parameters of the connections to a shared database, from `store.url`.
///
/// The password is not among them. It is read for each connection, so that it can be replaced while the daemon runs.
package struct ConnectionSettings: Sendable {
    struct Server: Equatable, Sendable {
        var host: String?
        var address: String?
        var port: String?
    }

    /// The longest time that one server may need to accept a connection.
    package var connectLimit = Duration.seconds(3)
    package var statementLimit = Duration.seconds(5)
    /// The longest time of a transaction from its begin on, unless its caller gives another.
    ///
    /// It may wait for a connection for half of that, and is repeated if it has failed within that.
    package var transactionLimit = Duration.seconds(5)
    /// The largest number of connections, without the one that listens.
    package var maximumConnections = 6
    /// The PostgreSQL schema (namespace) of the tables.
    package var schema = "viewmodeld"
    /// The name that the server's logs and `pg_stat_activity` show.
    package var applicationName = "viewmodeld"

    /// The database for people: the URL without parameters.
    package let label: String
    /// The servers in the order of the URL.
    let servers: [Server]
    /// The URL's other parameters by their names in libpq.
    let parameters: [String: String]
    let password: PasswordSource

    /// Parses `store.url`.
    ///
    /// - Parameters:
    ///   - url: a connection URI of libpq, such as `postgresql://viewmodeld@db.example.org/viewmodeld?sslmode=verify-full`.
    ///   - password: where the password comes from.
    /// - Throws: `StoreError` of kind `misconfigured`, also where libpq is not installed. Its text never contains the URL,
    ///   because it may have a password.
    package init(url: String, password: PasswordSource = PasswordSource()) throws(StoreError) {
        guard ["postgresql://", "postgres://"].contains(where: url.hasPrefix) else {
            throw Self.wrong("is no URL of a PostgreSQL database. Write postgresql://USER@HOST/DATABASE")
        }
        if let reason = libpq_load() { throw Self.missing(String(cString: reason)) }
        var options = try Self.parse(url)
        try Self.refuseSecrets(options)
        let servers = try Self.servers(&options)
        guard let user = options["user"], let database = options["dbname"] else {
            throw Self.wrong("names no user or no database. Write postgresql://USER@HOST/DATABASE")
        }
        let names = servers.map { server in
            (server.host ?? server.address ?? "localhost") + (server.port.map { ":\($0)" } ?? "")
        }
        label = "The database \(database) at \(names.joined(separator: ",")) (user \(user))"
        self.servers = servers
        parameters = options
        self.password = password
    }

    private static func parse(_ url: String) throws(StoreError) -> [String: String] {
        var text: UnsafeMutablePointer<CChar>?
        guard let options = PQconninfoParse(url, &text) else {
            // The parser's message quotes the URL.
            if text != nil { PQfreemem(text) }
            throw wrong("cannot be parsed. Write postgresql://USER@HOST/DATABASE, and %-encode special characters")
        }
        defer { PQconninfoFree(options) }
        var values: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { values[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return values
    }

    private static func refuseSecrets(_ options: [String: String]) throws(StoreError) {
        if options["password"] != nil || options["sslpassword"] != nil {
            throw wrong(
                """
                contains a password, which others can read there. Remove it, and use store.passwordFile or a systemd \
                credential
                """
            )
        }
        for name in ["passfile", "service"] where options[name] != nil {
            throw wrong("has the parameter \(name), which is not supported. Use store.passwordFile")
        }
        for name in ["replication", "client_encoding"] where options[name] != nil {
            throw wrong("has the parameter \(name), which the daemon sets itself. Remove it")
        }
    }

    /// Removes the servers from the options.
    private static func servers(_ options: inout [String: String]) throws(StoreError) -> [Server] {
        func list(_ name: String) -> [String?] {
            (options.removeValue(forKey: name) ?? "").split(separator: ",", omittingEmptySubsequences: false)
                .map { $0.isEmpty ? nil : String($0) }
        }
        let (hosts, addresses, ports) = (list("host"), list("hostaddr"), list("port"))
        let count = max(hosts.count, addresses.count)
        guard [1, count].contains(ports.count), [1, count].contains(hosts.count), [1, count].contains(addresses.count)
        else { throw wrong("has another number of hosts than of ports or addresses") }
        return (0..<count).map { index in
            Server(
                host: hosts.count == 1 ? hosts[0] : hosts[index],
                address: addresses.count == 1 ? addresses[0] : addresses[index],
                port: ports.count == 1 ? ports[0] : ports[index]
            )
        }
    }

    private static func missing(_ reason: String) -> StoreError {
        wrong("needs libpq, the client library of PostgreSQL: \(reason). Install it (Debian: apt-get install libpq5)")
    }

    private static func wrong(_ text: String) -> StoreError {
        StoreError(.misconfigured, "store.url", text)
    }
}

extension ConnectionSettings {
    /// Whether the URL demands encryption.
    private var demandsEncryption: Bool {
        ["require", "verify-ca", "verify-full"].contains(parameters["sslmode"])
    }

    /// Whether the connections stay on this machine or are encrypted.
    var isPrivate: Bool {
        demandsEncryption
            || servers.allSatisfy { server in
                guard let host = server.address ?? server.host else { return true }
                return host.hasPrefix("/") || host == "localhost" || host.hasPrefix("127.") || host == "::1"
            }
    }

    /// The parameters of a connection to one server.
    ///
    /// A dead network is noticed within about ten seconds: by keepalives on an idle connection, by the limit for
    /// unacknowledged data on a busy one.
    func parameters(for server: Server, password: String?) -> [(String, String)] {
        var all = parameters
        all["host"] = server.host
        all["hostaddr"] = server.address
        all["port"] = server.port
        all["password"] = password
        all["client_encoding"] = "UTF8"
        all["application_name"] = applicationName
        // Passwords come from `store.passwordFile` only. This file cannot exist.
        all["passfile"] = "/dev/null/none"
        var defaults = [
            // After a failover the URL may still name the former primary.
            "target_session_attrs": "read-write",
            "keepalives_idle": "5", "keepalives_interval": "2", "keepalives_count": "3", "tcp_user_timeout": "10000",
        ]
        // Only a server that knows the password then gets a proof of it.
        if password != nil, demandsEncryption { defaults["channel_binding"] = "require" }
        return Array(all.merging(defaults) { own, _ in own })
    }
}
