import Logging
import ViewModelHost

extension ConfigurationKey {
    /// The keys of every daemon and of its gateway, in the order of the shipped example.
    static let core: [ConfigurationKey] = [
        socket, access, log, session, limits, shutdown, gateway,
    ].flatMap(\.self)

    private static let socket = [
        ConfigurationKey(
            "socket.path",
            \.socket.path,
            .optional(.absolutePath()),
            isLive: false,
            """
            The path of the socket, at most 107 bytes. The default is $XDG_RUNTIME_DIR/viewmodeld/viewmodeld.sock, for \
            root /run/viewmodeld/viewmodeld.sock. A socket that systemd passes takes precedence. The daemon creates a \
            missing directory with mode 0700.
            """
        ),
        ConfigurationKey(
            "socket.mode",
            \.socket.mode,
            .fileMode,
            isLive: false,
            """
            The mode of the socket. A user who may write to the socket may open a connection; "access" decides about \
            the rest.
            """
        ),
        ConfigurationKey(
            "socket.group",
            \.socket.group,
            .optional(.systemGroup),
            isLive: false,
            "The group of the socket, by name or number. The default is the group of the daemon's process."
        ),
    ]

    private static let access = [
        ConfigurationKey(
            "access",
            \.host.access.rules,
            .accessRules,
            """
            The users and groups that may connect, each with a scope. The user that the daemon runs as, and root, \
            always have the scope "admin". "observe": attach, read, bind, discover. "act": also inputs, actions, \
            opening and closing. "admin": also the sessions of other users. Example:
            [{user: alice, scope: admin}, {group: staff, scope: observe}]
            """
        )
    ]

    private static let log = [
        ConfigurationKey(
            "log.level",
            \.log.level,
            .choice,
            "The least severity that is logged."
        ),
        ConfigurationKey(
            "log.format",
            \.log.format,
            .choice,
            """
            The form of a log record on the standard error. "auto": the journal's form under systemd, else text. \
            "json": an object with time, level, message and metadata. "text": a line for people.
            """
        ),
    ]

    private static let session = [
        ConfigurationKey(
            "session.lingerSeconds",
            \.host.lingerSeconds,
            .integer(0...31_536_000),
            """
            The seconds for which a named session lives on after its last client has detached, unless a client gave \
            another linger.
            """
        ),
        ConfigurationKey(
            "session.maximumLingerSeconds",
            \.host.maximumLingerSeconds,
            .integer(0...31_536_000),
            "The longest linger that a client can give. The daemon reduces a longer one to it."
        ),
        ConfigurationKey(
            "session.saveIntervalMilliseconds",
            \.host.saveIntervalMilliseconds,
            .integer(0...3_600_000),
            """
            The longest time between a change of a session and its save. A power failure can lose the changes of this \
            time.
            """
        ),
        ConfigurationKey(
            "session.keepDays",
            \.host.keepDays,
            .integer(0...36_500),
            "The days for which a saved session is kept after its last attach."
        ),
    ]

    private static let limits = [
        ConfigurationKey(
            "limits.messageBytes",
            \.host.limits.messageBytes,
            .integer(64...1 << 30),
            "The most bytes of a message. The daemon discards a longer one and answers with an error."
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
            The most events that an instance keeps for clients that read slowly, 1 MiB of them at most. Older events \
            are counted as lost.
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
            "The most named sessions of one user at a time, with those that linger."
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
            "The bytes of unsent replies above which the daemon reads no further request of that connection."
        ),
        ConfigurationKey(
            "limits.stallSeconds",
            \.host.limits.stallSeconds,
            .integer(1...86_400),
            """
            The seconds for which the client of such a connection may read nothing. Then the daemon closes the \
            connection.
            """
        ),
        ConfigurationKey(
            "limits.bytesPerUser",
            \.host.limits.bytesPerUser,
            .integer(1024...1 << 40),
            """
            The most bytes that all connections and sessions of one user may hold together: unsent replies and frames, \
            input that waits, ids of unanswered requests, remembered outcomes, the last value of each input, kept \
            events. Above it the daemon closes the connection of that user that holds the most, and refuses calls with \
            long params.
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
            "The most saved sessions of one user. The one with the oldest attach is erased first."
        ),
        ConfigurationKey(
            "limits.savedBytesPerSession",
            \.host.limits.savedBytesPerSession,
            .integer(1...1 << 30),
            """
            The most bytes that are saved of a session. The daemon does not save a larger session; its former save \
            stays.
            """
        ),
    ]

    private static let shutdown = [
        ConfigurationKey(
            "shutdown.graceSeconds",
            \.host.graceSeconds,
            .integer(0...3600),
            "The seconds that running actions have to end when the daemon stops."
        )
    ]
}
