/// A connection of a client.
///
/// Isolation: confined to the gateway's event loop.
protocol GatewayConnection: AnyObject {
    /// Checks whether the client is still there. It is called each `gateway.pingSeconds`.
    func tick()
    /// Ends the connection, because the gateway stops.
    func stop()
    /// Closes the connection at once.
    func drop()
}

/// The open connections, and their limit.
struct GatewayConnections {
    /// The key of a connection.
    ///
    /// A later connection has a larger one.
    typealias Key = UInt64

    private let limit: Int
    private var lastKey: Key = 0
    private var connections: [Key: any GatewayConnection] = [:]
    /// The connections that have not shown a valid token.
    private var strangers: [Key: any GatewayConnection] = [:]

    /// Creates an empty registry.
    ///
    /// - Parameter limit: the most connections at a time.
    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { connections.count }

    /// Adds a connection.
    ///
    /// At the limit the oldest connection without a token is dropped, so that strangers cannot lock anybody out.
    ///
    /// - Returns: The key, or nil if all connections have shown a token.
    mutating func add(_ connection: any GatewayConnection) -> Key? {
        if connections.count >= limit {
            guard let oldest = strangers.keys.min() else { return nil }
            let dropped = strangers[oldest]
            remove(oldest)
            dropped?.drop()
        }
        lastKey += 1
        connections[lastKey] = connection
        strangers[lastKey] = connection
        return lastKey
    }

    /// Records that a connection has shown a valid token.
    mutating func admit(_ key: Key) {
        strangers[key] = nil
    }

    /// Replaces a connection by the one that it has become.
    mutating func replace(_ key: Key, with connection: any GatewayConnection) {
        if connections[key] != nil { connections[key] = connection }
    }

    mutating func remove(_ key: Key) {
        connections[key] = nil
        strangers[key] = nil
    }

    /// All connections.
    var all: [any GatewayConnection] { Array(connections.values) }
}
