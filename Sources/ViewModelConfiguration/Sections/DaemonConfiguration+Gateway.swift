package import ViewModelKit

extension DaemonConfiguration {
    /// The keys of `gateway`, which `viewmodel-gateway` reads.
    @Schemable
    package struct Gateway: ConfigurationSection {
        /// The keys of `gateway.tls`.
        @Schemable
        package struct TLS: Sendable {
            /// The file with the certificate chain in PEM.
            ///
            /// Set gateway.tls.keyFile with it.
            package var certificateFile: FormText<AbsolutePath>?
            /// The file with the key of the certificate in PEM.
            package var keyFile: FormText<SecretPath>?
        }

        /// The keys of `gateway.openid`.
        @Schemable
        package struct OpenID: Sendable {
            /// The issuer of the OpenID provider at which people sign in.
            ///
            /// With it the gateway is in team mode: each person has sessions of their own. Browsers then need https://,
            /// by gateway.tls or a reverse proxy. Requires gateway.openid.clientID and gateway.openid.roles.
            package var issuer: FormText<SomeText>?
            /// The id of the gateway at the provider.
            package var clientID: FormText<SomeText>?
            /// The file with the client secret, if the provider issued one.
            package var clientSecretFile: FormText<SecretPath>?
            /// The scopes that the gateway requests from the provider.
            package var scopes: FormText<ScopeTokens> = "openid profile"
            /// The scope of people whose claim in the provider's userinfo has a value; the widest one counts.
            ///
            /// A person without a rule has no access. A rule without a claim is for everybody. Example:
            ///
            /// [{groups: staff, scope: act}, {groups: wardens, scope: admin}]
            package var roles: [RoleRule] = []
            /// The audience of access tokens that scripts send as bearer tokens.
            ///
            /// Without it the gateway accepts none.
            package var audience: FormText<SomeText>?
            /// The seconds without a request or an open connection after which a person signs in again.
            ///
            /// After gateway.cookieSeconds everybody does.
            @Bounds(60...31_536_000) package var idleSeconds = 3600

            package init() {}
        }

        /// The keys of `gateway.limits`.
        @Schemable
        package struct Limits: Sendable {
            /// The most connections at a time.
            ///
            /// Each needs two file descriptors. At the limit the oldest connection that has shown no token is closed, or
            /// else one that waits for its next request.
            @Bounds(1...1_048_576) package var connections = 16_384
            /// The most connections of a person of gateway.openid at a time, in all browsers together.
            @Bounds(1...1_048_576) package var connectionsPerPerson = 256
            /// The most bytes of a message or of the body of a request.
            @Bounds(64...1 << 30) package var messageBytes: Int = 1 << 20
            /// The most bytes of a reply of /rpc and of an event of /events.
            ///
            /// A WebSocket has no such limit.
            @Bounds(1024...1 << 30) package var replyBytes: Int = 16 << 20
            /// The most bytes of the header of a request.
            @Bounds(1024...1 << 20) package var headerBytes: Int = 16 << 10
            /// The seconds in which a client must have sent its whole request.
            @Bounds(1...3600) package var headerSeconds = 10
        }

        package static let section = "gateway"

        /// The address on which viewmodel-gateway listens for browsers: an IP address or localhost, and a port; port 0
        /// lets the kernel choose.
        ///
        /// An address that other machines can reach requires gateway.tls. The absolute path of a socket is for a
        /// reverse proxy. A socket that systemd passes takes precedence. A change of any key of gateway needs a restart
        /// of the gateway.
        package var listen: ListenAddress = ListenAddress(host: "127.0.0.1", port: 8417)
        /// The mode of the socket for a reverse proxy.
        package var mode: FileMode = FileMode(0o600)
        /// The group of that socket, by name or number.
        ///
        /// The default is the group of the gateway's process.
        package var group: GroupReference?
        /// The hosts that requests may name in "Host", besides the loopback names of gateway.listen.
        ///
        /// A gateway behind a reverse proxy or with TLS needs at least one; the first is that of the page. Example:
        /// "viewmodel.example.org".
        package var hosts: FormText<HostNames> = ""
        /// The path below which the gateway answers.
        ///
        /// A reverse proxy passes it on.
        package var path: FormText<HTTPPath> = "/"
        /// The origins of pages of other sites that may use the gateway.
        ///
        /// The gateway's own page is always allowed. Example: "http://localhost:5173".
        package var origins: FormText<Origins> = ""
        /// Whether a client with the bearer token has the scope "act", and may call inputs and actions.
        ///
        /// The default is "observe". A page has the scope that viewmodelctl inspect asked for.
        package var control = false
        /// Whether processes of other users of this machine may connect to a loopback address.
        ///
        /// By default only those of the gateway's user and of root may. A reverse proxy that runs as another user needs
        /// it, unless it connects to a socket.
        package var otherUsers = false
        /// The seconds for which a browser stays signed in.
        @Bounds(1...31_536_000) package var cookieSeconds = 43_200
        /// The seconds without a connection after which the gateway ends.
        ///
        /// 0: it does not end.
        @Bounds(0...31_536_000) package var idleSeconds = 90
        /// The seconds between two pings.
        ///
        /// A client that does not answer two of them is disconnected.
        @Bounds(1...3600) package var pingSeconds = 20
        /// The file with the key that encrypts the cookies of gateway.openid: 32 bytes in base64.
        ///
        /// Gateways with the same key accept each other's cookies. The default is the systemd credential
        /// viewmodel-gateway.key, else a key of this gateway.
        package var keyFile: FormText<SecretPath>?
        package var openid: OpenID = OpenID()
        package var tls: TLS = TLS()
        package var limits: Limits = Limits()

        package init() {}
    }
}
