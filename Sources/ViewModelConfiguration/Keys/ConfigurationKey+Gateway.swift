extension ConfigurationKey {
    /// The keys of `viewmodel-gateway`.
    static let gateway = [
        ConfigurationKey(
            "gateway.listen",
            \.gateway.listen,
            .listenAddress,
            """
            The address on which viewmodel-gateway listens for browsers: an IP address or localhost, and a port; port 0 \
            lets the kernel choose. An address that other machines can reach requires gateway.tls. The absolute path of \
            a socket is for a reverse proxy. A socket that systemd passes takes precedence. A change of any key of \
            gateway needs a restart of the gateway.
            """
        ),
        ConfigurationKey(
            "gateway.mode",
            \.gateway.mode,
            .fileMode,
            "The mode of the socket for a reverse proxy."
        ),
        ConfigurationKey(
            "gateway.group",
            \.gateway.group,
            .optional(.systemGroup),
            "The group of that socket, by name or number. The default is the group of the gateway's process."
        ),
        ConfigurationKey(
            "gateway.hosts",
            \.gateway.hosts,
            .names("hosts as browsers name them, each with its port unless the port is the default of the scheme"),
            """
            The hosts that requests may name in "Host", besides the loopback names of gateway.listen. A gateway behind \
            a reverse proxy or with TLS needs at least one; the first is that of the page. Example: \
            "viewmodel.example.org".
            """
        ),
        ConfigurationKey(
            "gateway.origins",
            \.gateway.origins,
            .names("origins, each with scheme and host"),
            """
            The origins of pages of other sites that may use the gateway. The gateway's own page is always allowed. \
            Example: "http://localhost:5173".
            """
        ),
        ConfigurationKey(
            "gateway.control",
            \.gateway.control,
            .boolean,
            """
            Whether a client with the bearer token has the scope "act", and may call inputs and actions. The default is \
            "observe". A page has the scope that viewmodelctl inspect asked for.
            """
        ),
        ConfigurationKey(
            "gateway.otherUsers",
            \.gateway.otherUsers,
            .boolean,
            """
            Whether processes of other users of this machine may connect to a loopback address. By default only those \
            of the gateway's user and of root may. A reverse proxy that runs as another user needs it, unless it \
            connects to a socket.
            """
        ),
        ConfigurationKey(
            "gateway.cookieSeconds",
            \.gateway.cookieSeconds,
            .integer(1...31_536_000),
            "The seconds for which a browser stays signed in."
        ),
        ConfigurationKey(
            "gateway.idleSeconds",
            \.gateway.idleSeconds,
            .integer(0...31_536_000),
            "The seconds without a connection after which the gateway ends. 0: it does not end."
        ),
        ConfigurationKey(
            "gateway.pingSeconds",
            \.gateway.pingSeconds,
            .integer(1...3600),
            "The seconds between two pings. A client that does not answer two of them is disconnected."
        ),
        ConfigurationKey(
            "gateway.tls.certificateFile",
            \.gateway.tls.certificateFile,
            .optional(.absolutePath()),
            "The file with the certificate chain in PEM. Set gateway.tls.keyFile with it."
        ),
        ConfigurationKey(
            "gateway.tls.keyFile",
            \.gateway.tls.keyFile,
            .optional(.absolutePath(isEchoed: false)),
            "The file with the key of the certificate in PEM."
        ),
        ConfigurationKey(
            "gateway.limits.connections",
            \.gateway.limits.connections,
            .integer(1...1_048_576),
            """
            The most connections at a time. Each needs two file descriptors. At the limit the oldest connection that \
            has shown no token is closed.
            """
        ),
        ConfigurationKey(
            "gateway.limits.messageBytes",
            \.gateway.limits.messageBytes,
            .integer(64...1 << 30),
            "The most bytes of a message or of the body of a request."
        ),
        ConfigurationKey(
            "gateway.limits.replyBytes",
            \.gateway.limits.replyBytes,
            .integer(1024...1 << 30),
            "The most bytes of a reply of /rpc and of an event of /events. A WebSocket has no such limit."
        ),
        ConfigurationKey(
            "gateway.limits.headerBytes",
            \.gateway.limits.headerBytes,
            .integer(1024...1 << 20),
            "The most bytes of the header of a request."
        ),
        ConfigurationKey(
            "gateway.limits.headerSeconds",
            \.gateway.limits.headerSeconds,
            .integer(1...3600),
            "The seconds in which a client must have sent its whole request."
        ),
    ]
}
