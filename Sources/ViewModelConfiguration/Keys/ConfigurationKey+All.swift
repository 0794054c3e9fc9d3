import Logging
import ViewModelHost

extension ConfigurationKey {
    /// Every key, in the order of the shipped example.
    static let all: [ConfigurationKey] = [
        socket, access, log, session, limits, account, storage, shutdown,
    ].flatMap(\.self)

    private static let socket = [
        ConfigurationKey(
            "socket.path",
            \.socket.path,
            .optional(.absolutePath()),
            isLive: false,
            """
            Where to listen; at most 107 bytes. By default $XDG_RUNTIME_DIR/viewmodeld/viewmodeld.sock, for root \
            /run/viewmodeld/viewmodeld.sock. A socket that systemd passes goes first. A directory that the daemon has \
            to make for it is nobody else's (0700).
            """
        ),
        ConfigurationKey(
            "socket.mode",
            \.socket.mode,
            .fileMode,
            isLive: false,
            "The permissions of the socket. Whoever may write to it may connect; \"access\" says what they may do then."
        ),
        ConfigurationKey(
            "socket.group",
            \.socket.group,
            .optional(.systemGroup),
            isLive: false,
            "The group of the socket, by name or number; by default the one that the daemon runs as."
        ),
    ]

    private static let access = [
        ConfigurationKey(
            "access",
            \.host.access.rules,
            .accessRules,
            """
            Who may connect and do what, besides the user that the daemon runs as: a list of users and groups, \
            each with a scope. "observe": read, bind, discover. "act": inputs and actions, too. "admin": the sessions \
            of other users, too. For instance:
            [{user: alice, scope: admin}, {group: staff, scope: observe}]
            """
        ),
        ConfigurationKey(
            "lab",
            \.lab,
            .boolean,
            isLive: false,
            "Whether to host the ViewModel \"lab\", a target for people who write clients. Not for production."
        ),
    ]

    private static let log = [
        ConfigurationKey(
            "log.level",
            \.log.level,
            .choice,
            "The least that is logged."
        ),
        ConfigurationKey(
            "log.format",
            \.log.format,
            .choice,
            """
            The form of a line on the standard error. "auto": for the journal under systemd, else text. \
            "json": an object with time, level, message and metadata. "text": for people.
            """
        ),
    ]

    private static let session = [
        ConfigurationKey(
            "session.lingerSeconds",
            \.host.lingerSeconds,
            .integer(0...31_536_000),
            "How long a named session lives on when its last client is gone and none asked for another time."
        ),
        ConfigurationKey(
            "session.maximumLingerSeconds",
            \.host.maximumLingerSeconds,
            .integer(0...31_536_000),
            "The longest time that a client can ask for; longer ones are shortened."
        ),
        ConfigurationKey(
            "session.saveIntervalMilliseconds",
            \.host.saveIntervalMilliseconds,
            .integer(0...3_600_000),
            "How soon after a change a session is saved: the most that a power failure may cost."
        ),
        ConfigurationKey(
            "session.keepDays",
            \.host.keepDays,
            .integer(0...36_500),
            "How long a saved session that nobody uses is kept."
        ),
    ]

    private static let limits = [
        ConfigurationKey(
            "limits.messageBytes",
            \.host.limits.messageBytes,
            .integer(64...1 << 30),
            "The longest message that is read; what is longer is discarded and answered with an error."
        ),
        ConfigurationKey(
            "limits.batch",
            \.host.limits.batch,
            .integer(1...65_536),
            "The most entries of a JSON-RPC batch."
        ),
        ConfigurationKey(
            "limits.inFlight",
            \.host.limits.inFlight,
            .integer(1...65_536),
            "The most unanswered requests of a connection."
        ),
        ConfigurationKey(
            "limits.events",
            \.host.limits.events,
            .integer(1...1_048_576),
            """
            How many events of an instance are kept for clients that read slowly, 1 MiB of them at most; older ones are \
            counted as lost.
            """
        ),
        ConfigurationKey(
            "limits.connections",
            \.host.limits.connections,
            .integer(1...1_048_576),
            "The most connections at a time. Each needs a file descriptor: see LimitNOFILE= of the unit."
        ),
        ConfigurationKey(
            "limits.connectionsPerUser",
            \.host.limits.connectionsPerUser,
            .integer(1...1_048_576),
            "The most connections of one user at a time."
        ),
        ConfigurationKey(
            "limits.sessionsPerUser",
            \.host.limits.sessionsPerUser,
            .integer(1...1_048_576),
            "The most named sessions of one user at a time, those included that linger."
        ),
        ConfigurationKey(
            "limits.instancesPerSession",
            \.host.limits.instancesPerSession,
            .integer(1...1_048_576),
            "The most instances of a session; the three built-in ones and children count."
        ),
        ConfigurationKey(
            "limits.bufferBytes",
            \.host.limits.bufferBytes,
            .integer(1024...1 << 30),
            "How much may wait for a client to take it before no more of its requests are read."
        ),
        ConfigurationKey(
            "limits.stallSeconds",
            \.host.limits.stallSeconds,
            .integer(1...86_400),
            "How long such a client may take nothing before its connection is closed."
        ),
        ConfigurationKey(
            "limits.bytesPerUser",
            \.host.limits.bytesPerUser,
            .integer(1024...1 << 40),
            """
            The memory that all connections and sessions of one user may hold together: unsent replies and frames, \
            input that waits, ids of unanswered requests, remembered outcomes, the last value of each input, kept \
            events. Beyond it, the connection of that user that holds the most is closed, and calls with long params \
            are refused.
            """
        ),
        ConfigurationKey(
            "limits.executions",
            \.host.limits.executions,
            .integer(1...65_536),
            "The most executions of an action at a time; waiting ones are counted."
        ),
        ConfigurationKey(
            "limits.scenes",
            \.host.limits.scenes,
            .integer(1...65_536),
            "The most scenes that a session's coordinator holds."
        ),
        ConfigurationKey(
            "limits.savedSessionsPerUser",
            \.host.limits.savedSessionsPerUser,
            .integer(1...1_048_576),
            "The most saved sessions of one user. The one that was used longest ago is erased first."
        ),
        ConfigurationKey(
            "limits.savedBytesPerSession",
            \.host.limits.savedBytesPerSession,
            .integer(1...1 << 30),
            """
            The most that is saved of a session. A session whose state is larger is not saved; what was saved before \
            stays.
            """
        ),
        ConfigurationKey(
            "limits.outboxItemsPerUser",
            \.host.limits.outboxItemsPerUser,
            .integer(1...1_048_576),
            "The most messages of one user that are not sent yet."
        ),
        ConfigurationKey(
            "limits.outboxBytesPerUser",
            \.host.limits.outboxBytesPerUser,
            .integer(1...1 << 40),
            "The most bytes that the texts of these messages have together."
        ),
    ]

    private static let account = [
        ConfigurationKey(
            "account.provider",
            \.account.provider,
            .choice,
            isLive: false,
            """
            Who knows the accounts that people sign in to. "local": the daemon itself. "http": a JSON API at \
            account.url. "oauth": an OAuth 2.0 or OpenID provider, see account.oauth.
            """
        ),
        ConfigurationKey(
            "account.url",
            \.account.url,
            .optional(.webAddress),
            isLive: false,
            "Where the JSON API is; required for the provider \"http\"."
        ),
        ConfigurationKey(
            "account.timeoutSeconds",
            \.account.timeoutSeconds,
            .integer(1...3600),
            isLive: false,
            "How long to wait for an answer of the provider."
        ),
        ConfigurationKey(
            "account.oauth.issuer",
            \.account.oauth.issuer,
            .optional(.webAddress),
            isLive: false,
            "The issuer, below which the provider's own configuration is found; required for the provider \"oauth\"."
        ),
        ConfigurationKey(
            "account.oauth.clientId",
            \.account.oauth.clientId,
            .optional(.someText),
            isLive: false,
            "What the provider knows this daemon as; required for the provider \"oauth\"."
        ),
        ConfigurationKey(
            "account.oauth.clientSecretFile",
            \.account.oauth.clientSecretFile,
            .optional(.absolutePath(isEchoed: false)),
            isLive: false,
            "The file with the client's secret, where the provider gave one. Keep it readable for the daemon alone."
        ),
        ConfigurationKey(
            "account.oauth.scopes",
            \.account.oauth.scopes,
            .scopes,
            isLive: false,
            "What to ask the provider for."
        ),
        ConfigurationKey(
            "account.oauth.passwordGrant",
            \.account.oauth.passwordGrant,
            .boolean,
            isLive: false,
            "Whether passwords may be sent to the provider (RFC 6749, section 4.3), which OAuth advises against."
        ),
    ]

    private static let storage = [
        ConfigurationKey(
            "vault.keyFile",
            \.vault.keyFile,
            .optional(.absolutePath(isEchoed: false)),
            isLive: false,
            """
            The file with the key that encrypts saved tokens: 32 bytes as base64. By default the systemd credential \
            viewmodeld.key, else vault.key in the state directory, which is made at the first start.
            """
        ),
        ConfigurationKey(
            "cache.maximumBytes",
            \.cache.maximumBytes,
            .integer(0...1 << 40),
            "How much is kept of what backends answered; what was not used for longest goes first."
        ),
        ConfigurationKey(
            "cache.maximumAgeSeconds",
            \.cache.maximumAgeSeconds,
            .integer(0...315_360_000),
            "How long it is kept."
        ),
    ]

    private static let shutdown = [
        ConfigurationKey(
            "shutdown.graceSeconds",
            \.host.graceSeconds,
            .integer(0...3600),
            "How long running actions may take to end when the daemon is asked to stop."
        )
    ]
}
