import ViewModelKit
import ViewModelProtocol

/// The methods and notifications of the protocol.
///
/// The dispatch, `rpc.discover`, the metrics and the tables in `docs/protocol.md` are made from these lists. The facts
/// of a method stand at its type.
enum ProtocolMethods {
    static let all: [HostedMethod] = [
        HostedMethod(type: ConnectionActFor.self) { peer, params, request throws(ProtocolError) in
            try peer.actFor(params, request)
        },
        HostedMethod(SessionAttach.self) { peer, params, request throws(ProtocolError) in
            try peer.attachToSession(params, request)
        },
        HostedMethod(SessionList.self, isQuery: true) { peer, params, request throws(ProtocolError) in
            try peer.listSessions(params, request)
        },
        HostedMethod(SessionClose.self) { peer, params, request throws(ProtocolError) in
            try peer.closeSession(params, request)
        },
        HostedMethod(SessionRestrict.self) { peer, params, _ in peer.restrict(params) },
        HostedMethod(ViewModelOpen.self, inSession: SessionCore.open),
        HostedMethod(ViewModelClose.self, inSession: SessionCore.close),
        HostedMethod(ViewModelList.self, isQuery: true, inSession: SessionCore.list),
        HostedMethod(ViewModelRead.self, isQuery: true, inSession: SessionCore.read),
        HostedMethod(ViewModelBind.self, inSession: SessionCore.bind),
        HostedMethod(ViewModelUnbind.self, inSession: SessionCore.unbind),
        HostedMethod(RPCDiscover.self, isQuery: true) { peer, params, _ in peer.discover(params) },
        HostedMethod(type: CancelRequest.self, carryOut: { peer, params, _ in peer.cancelRequest(params) }),
    ]

    static let notifications: [any DescribedNotification.Type] = [
        ViewModelChanged.self, ViewModelClosed.self, SessionClosed.self,
    ]

    /// The methods with their indices in ``names``.
    static let table = NameTable(all.enumerated().map { ($1.type.name, (index: $0, method: $1)) })
    static let names = all.map { $0.type.name }

    /// Returns the error for a method of a reserved instance that does not exist, such as `session.atach`; nil for an
    /// instance that is not reserved.
    static func unknown(_ instance: String, _ member: String) -> ProtocolError? {
        let known = names.filter { $0.hasPrefix(instance + ".") }.map { String($0.dropFirst(instance.count + 1)) }
        guard !known.isEmpty else { return nil }
        let suggestions = Suggestions.close(to: member, among: known)
        return .methodNotFound(instance: instance, member: member, suggestions: suggestions)
    }
}

/// A method of the protocol, and how a peer carries it out.
struct HostedMethod: Sendable {
    /// Carries out a request or notification; returns nil if its reply comes later.
    typealias Handler<Params> = @Sendable (RPCPeer, Params, borrowing Request) throws(ProtocolError) -> Reply?

    let type: any DescribedMethod.Type
    /// Whether the method only returns something, so that a notification of it has no effect.
    var isQuery = false
    let carryOut: Handler<ParamsReader>
}

extension HostedMethod {
    /// Creates a method whose params are read as its type says.
    init<Method: DescribedMethod>(
        _ type: Method.Type,
        isQuery: Bool = false,
        _ carryOut: @escaping Handler<Method.Params>
    ) {
        self.type = type
        self.isQuery = isQuery
        self.carryOut = { peer, params, request throws(ProtocolError) in
            let decoded: Method.Params
            do throws(ValueMismatch) {
                decoded = try params.object(Method.Params.self)
            } catch {
                throw ProtocolError(error, isAwaited: request.id != nil, names: Method.paramsSchema.memberNames)
            }
            return try carryOut(peer, decoded, request)
        }
    }

    /// Creates a method that is carried out in the client's session.
    init<Method: DescribedMethod>(
        _ type: Method.Type,
        isQuery: Bool = false,
        inSession body: @escaping @Sendable (SessionCore) -> (Method.Params, Attachment) throws(ProtocolError) -> Reply
    ) {
        self.init(type, isQuery: isQuery) { peer, params, request throws(ProtocolError) in
            try peer.inSession(request) { attachment throws(ProtocolError) in
                try body(attachment.core)(params, attachment)
            }
        }
    }
}
