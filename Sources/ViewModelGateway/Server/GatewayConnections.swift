import DequeModule

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

/// The open connections, and their limits.
struct GatewayConnections {
    /// The key of a connection.
    ///
    /// A later connection has a larger one.
    typealias Key = UInt64

    private struct Entry {
        var connection: any GatewayConnection
        var isAuthenticated = false
        /// The person of the request that is under way.
        var person: String?
        /// Whether the connection has shown a token, and waits for the next request.
        var isIdle = false
    }

    /// The most connections at a time, of all clients and of each person.
    private let limit, personLimit: Int
    private var lastKey: Key = 0
    private var connections: [Key: Entry] = [:]
    /// The connections that had shown no token when they were added, the oldest first; some of them have one or are gone.
    private var strangers: Deque<Key> = []
    private var counts: [String: Int] = [:]

    init(limit: Int, personLimit: Int = .max) {
        (self.limit, self.personLimit) = (limit, personLimit)
    }

    var count: Int { connections.count }

    /// Adds a connection.
    ///
    /// At the limit the oldest connection that has shown no valid token is dropped, or else one that waits for the next
    /// request, so that the others are not locked out.
    ///
    /// - Returns: The key, or nil if all connections are in use.
    mutating func add(_ connection: any GatewayConnection) -> Key? {
        while let oldest = strangers.first, !isStranger(oldest) { strangers.removeFirst() }
        if strangers.count >= 2 * limit { strangers = strangers.filter { isStranger($0) } }
        if connections.count >= limit {
            guard let key = strangers.popFirst() ?? idle else { return nil }
            connections.removeValue(forKey: key)?.connection.drop()
        }
        lastKey += 1
        connections[lastKey] = Entry(connection: connection)
        strangers.append(lastKey)
        return lastKey
    }

    /// A connection that has shown a token, and waits for the next request.
    private var idle: Key? { connections.first { $0.value.isIdle }?.key }

    private func isStranger(_ key: Key) -> Bool { connections[key]?.isAuthenticated == false }

    /// Records that a connection has shown a valid token.
    mutating func admit(_ key: Key) {
        connections[key]?.isAuthenticated = true
        connections[key]?.isIdle = false
    }

    /// Records whose requests a connection carries from now on; false if the person has too many connections.
    mutating func admit(_ key: Key, of person: String) -> Bool {
        guard var entry = connections[key], entry.person != person else { return true }
        guard counts[person, default: 0] < personLimit else { return false }
        release(entry)
        counts[person, default: 0] += 1
        (entry.isAuthenticated, entry.person, entry.isIdle) = (true, person, false)
        connections[key] = entry
        return true
    }

    /// Records that a request has its reply, also if it was refused; the next one may be that of another person.
    mutating func rest(_ key: Key) {
        guard var entry = connections[key], entry.isAuthenticated else { return }
        release(entry)
        (entry.person, entry.isIdle) = (nil, true)
        connections[key] = entry
    }

    private mutating func release(_ entry: Entry?) {
        guard let person = entry?.person, let count = counts[person] else { return }
        counts[person] = count > 1 ? count - 1 : nil
    }

    /// Replaces a connection by the one that it has become.
    mutating func replace(_ key: Key, with connection: any GatewayConnection) {
        connections[key]?.connection = connection
    }

    mutating func remove(_ key: Key) {
        release(connections.removeValue(forKey: key))
    }

    subscript(key: Key) -> (any GatewayConnection)? { connections[key]?.connection }

    var all: [any GatewayConnection] { connections.values.map(\.connection) }
}
