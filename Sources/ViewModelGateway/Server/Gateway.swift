import Glibc
import Logging
import NIOCore
import ViewModelConfiguration
import ViewModelProtocol

/// What all connections of a gateway share.
///
/// Isolation: confined to the gateway's event loop.
final class Gateway {
    /// An idle channel keeps its last buffer, so the first one is small.
    ///
    /// The allocator grows it for long messages.
    static let receiveAllocator = AdaptiveRecvByteBufferAllocator(minimum: 256, initial: 256, maximum: 64 << 10)
    /// Above the high mark a channel is not written to, and its partner is not read from.
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(low: 32 << 10, high: 64 << 10)
    /// The time that a client has to read the end of a connection.
    static let lingerTime = TimeAmount.seconds(2)
    /// The time that a client has to read a reply.
    static let replyTime = TimeAmount.seconds(30)

    /// The time in which a client must have sent the head of its next request.
    ///
    /// It is longer than that of the usual proxies (60 seconds), so that these close first and lose no request.
    static let keepAliveTime = TimeAmount.seconds(75)

    let server: GatewayServer
    let health = HealthCheck()
    /// The buffer of the connections' outputs.
    let buffer = ReusableBuffer()
    var tokens: AccessTokens
    /// The people in team mode.
    private(set) var team: Team?
    var connections: GatewayConnections
    /// The connections above the limit that are told so.
    var turnedAway = 0
    /// That there are too many connections, that one person has too many, and that the daemon refuses one.
    var crowded = RareMessage(), greedy = RareMessage(), denied = RareMessage()
    var idleTime: Scheduled<Void>?
    /// Whether the last attempt to reach the daemon was successful.
    var hasDaemon = true
    /// Completes when the last connection has closed after a stop.
    var stopped: EventLoopPromise<Void>?

    init(_ server: GatewayServer) {
        self.server = server
        let limits = server.configuration.limits
        tokens = server.tokens
        connections = GatewayConnections(limit: limits.connections, personLimit: limits.connectionsPerPerson)
        team = server.team.map { Team($0, self) }
    }

    var eventLoop: any EventLoop { server.loop }

    /// The seconds of a clock that does not go back, for one-time tokens.
    static var uptime: Int { Int(NIODeadline.now().uptimeNanoseconds / 1_000_000_000) }

    /// The seconds since 1970, for cookies, which outlive the process.
    static var calendarTime: Int { time(nil) }
}
