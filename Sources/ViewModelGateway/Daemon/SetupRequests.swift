import JSONRPC
import NIOCore
import ViewModelProtocol

/// The requests that the gateway sends on a connection before it relays anything.
///
/// The first one lowers the scope of the connection, or makes it that of a person. The daemon enforces it from then on, so
/// that no message of a client can do more, whatever the gateway fails to see.
struct SetupRequests: Sendable {
    /// A message that the daemon answers with an error on each connection, also one that only acts for people.
    static let probe = SetupRequests(requests: [ByteBuffer(string: #"{"jsonrpc":"2.0","id":"gateway"}"#)])

    private(set) var requests: [ByteBuffer] = []
    private static let restrictions = AccessScope.allCases.map {
        ($0, request(SessionRestrict.self, SessionRestrict.Params(scope: $0)))
    }

    private init(requests: [ByteBuffer]) {
        self.requests = requests
    }

    /// Begins with the request for a scope.
    init(scope: AccessScope) {
        requests = Self.restrictions.filter { $0.0 == scope }.map(\.1)
    }

    /// Begins with the request to act for a person.
    init(for person: Person) {
        guard let subject = Subject(person.subject) else { return }
        let claims = Claims(person.claims.objectValue ?? [:])
        let params = ConnectionActFor.Params(
            subject: subject,
            name: PersonName(person.name),
            scope: person.scope,
            claims: claims
        )
        add(ConnectionActFor.self, params)
    }

    mutating func add<Method: ProtocolMethod>(_ method: Method.Type, _ params: Method.Params) {
        requests.append(Self.request(method, params))
    }

    /// Returns a request of the gateway itself.
    static func request<Method: ProtocolMethod>(
        _ method: Method.Type,
        _ params: Method.Params,
        id: String = "gateway"
    ) -> ByteBuffer {
        var request = ByteBuffer()
        let id = JSONValue.string(id)
        request.writeString(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(Method.name)","params":"#)
        // Params have no number that JSON cannot express.
        request.writeBytes((try? JSONWriter.text(of: params)) ?? [])
        request.writeString("}")
        return request
    }

    /// The request for the scope alone.
    var withoutSession: SetupRequests {
        var setup = self
        setup.requests = Array(requests.prefix(1))
        return setup
    }

    /// Returns the result of a reply, or nil if the reply is an error.
    static func result(_ reply: ByteBuffer) -> JSONValue? {
        guard let value = JSONValue(text: Array(reply.readableBytesView)), value["error"] == nil else { return nil }
        return value["result"]
    }
}
