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

    /// The most connections at a time.
    let limit: Int
    private var lastKey: Key = 0
    private var connections: [Key: (connection: any GatewayConnection, isAuthenticated: Bool)] = [:]

    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { connections.count }

    /// Adds a connection.
    ///
    /// At the limit the oldest connection that has shown no valid token is dropped, so that the others are not locked out.
    ///
    /// - Returns: The key, or nil if all connections have shown a token.
    mutating func add(_ connection: any GatewayConnection) -> Key? {
        if connections.count >= limit {
            guard let oldest = connections.lazy.filter({ !$0.value.isAuthenticated }).map(\.key).min() else {
                return nil
            }
            connections.removeValue(forKey: oldest)?.connection.drop()
        }
        lastKey += 1
        connections[lastKey] = (connection, false)
        return lastKey
    }

    /// Records that a connection has shown a valid token.
    mutating func admit(_ key: Key) {
        connections[key]?.isAuthenticated = true
    }

    /// Replaces a connection by the one that it has become.
    mutating func replace(_ key: Key, with connection: any GatewayConnection) {
        connections[key]?.connection = connection
    }

    mutating func remove(_ key: Key) {
        connections[key] = nil
    }

    subscript(key: Key) -> (any GatewayConnection)? { connections[key]?.connection }

    var all: [any GatewayConnection] { connections.values.map(\.connection) }
}
