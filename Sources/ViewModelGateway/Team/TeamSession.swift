import JSONRPC
import NIOCore

/// What the cookie of a signed-in browser has, for every gateway with the same key.
struct SessionTicket: Codable, Equatable, Sendable {
    static let cookieName = "__Host-viewmodel-person"
    /// The longest cookie that all browsers keep, in bytes.
    static let longestCookie = 4000

    /// The identifier of the session in all gateways.
    var id = SecretText.make()
    var person: Person
    /// The person and the session at the provider.
    let subject: String
    let providerSession: String?
    var tokens: OpenIDProvider.Tokens
    /// The times of the sign-in, of the last answer of the provider and of the last use, in seconds since 1970.
    let began: Int
    var checked: Int
    var used: Int
}

/// A signed-in browser at this gateway.
///
/// Isolation: confined to the gateway's event loop.
final class TeamSession {
    var ticket: SessionTicket
    /// The connections that act for the person now.
    var connections: Set<GatewayConnections.Key> = []
    /// The requests that wait for the provider's answer.
    var waiting: [(Result<Person, RequestRefusal>) -> Void] = []
    var isChecking = false
    /// The seconds after which the gateway asks again while there are connections, before the answer ends.
    ///
    /// They differ, so that sessions that came back at once after a restart do not ask at once for ever.
    let checkSeconds = Int.random(in: 30...45)
    /// The time of the next question to the provider, after one without an answer.
    var nextCheck = 0

    init(_ ticket: SessionTicket) {
        self.ticket = ticket
    }
}
