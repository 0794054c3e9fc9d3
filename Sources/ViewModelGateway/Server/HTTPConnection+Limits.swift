import Logging
import NIOCore
import NIOHTTP1
import ViewModelConfiguration

/// The limits of connections, of all clients and of a person.
extension HTTPConnection {
    /// The most connections above the limit that get a reply at a time.
    private static let mostTurnedAway = 8

    /// Replies that there are too many connections, if the descriptors for that are not in use.
    func turnAway(_ channel: any Channel) {
        let limits = gateway.server.configuration.limits
        if gateway.crowded.isDue() {
            let text = "There are too many connections. Raise gateway.limits.connections, or start another gateway"
            gateway.server.logger.warning("\(text)", metadata: ["connections": "\(limits.connections)"])
        }
        guard gateway.turnedAway < Self.mostTurnedAway else { return drop() }
        gateway.turnedAway += 1
        channel.closeFuture.assumeIsolated().whenComplete { [gateway] _ in gateway.turnedAway -= 1 }
        refuse(RequestRefusal(.serviceUnavailable, "there are too many connections", ["Retry-After": "5"]))
        setDeadline(Gateway.lingerTime)
    }

    /// Counts the connection as one of a person.
    func admit(_ key: GatewayConnections.Key, of person: Person) throws(RequestRefusal) {
        guard !gateway.connections.admit(key, of: person.subject) else { return }
        if gateway.greedy.isDue() {
            let limit = gateway.server.configuration.limits.connectionsPerPerson
            gateway.server.logger.notice(
                "A person has too many connections",
                metadata: ["person": "\(person.hash)", "gateway.limits.connectionsPerPerson": "\(limit)"]
            )
        }
        throw RequestRefusal(.tooManyRequests, "the person has too many connections", ["Retry-After": "5"])
    }
}
