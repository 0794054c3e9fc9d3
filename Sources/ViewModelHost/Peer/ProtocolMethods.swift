import ViewModelKit
import ViewModelProtocol

/// The protocol's own methods by name.
enum ProtocolMethods {
    typealias Handler =
        @Sendable (RPCPeer, ParamsReader, _ id: Bytes?) throws(ProtocolError) -> RPCPeer.Dispatched

    private static let all: [(String, Handler)] = [
        (
            SessionAttach.name,
            { c, p, id throws(ProtocolError) in try c.attach(p.object(SessionAttach.Params.self), id) }
        ),
        (SessionList.name, { c, p, _ throws(ProtocolError) in try c.listSessions(p.object(SessionList.Params.self)) }),
        (
            SessionClose.name,
            { c, p, id throws(ProtocolError) in try c.closeSession(p.object(SessionClose.Params.self), id) }
        ),
        (ViewModelOpen.name, { c, p, id throws(ProtocolError) in try c.open(p.object(ViewModelOpen.Params.self), id) }),
        (
            ViewModelClose.name,
            { c, p, id throws(ProtocolError) in try c.close(p.object(ViewModelClose.Params.self), id) }
        ),
        (ViewModelList.name, { c, p, id throws(ProtocolError) in try c.list(p.object(NoParams.self), id) }),
        (ViewModelRead.name, { c, p, id throws(ProtocolError) in try c.read(p.object(ViewModelRead.Params.self), id) }),
        (ViewModelBind.name, { c, p, id throws(ProtocolError) in try c.bind(p.object(ViewModelBind.Params.self), id) }),
        (
            ViewModelUnbind.name,
            { c, p, id throws(ProtocolError) in try c.unbind(p.object(ViewModelUnbind.Params.self), id) }
        ),
        (RPCDiscover.name, { c, p, _ throws(ProtocolError) in try c.discover(p.object(NoParams.self)) }),
        (CancelRequest.name, { c, p, _ throws(ProtocolError) in c.cancelRequest(p) }),
    ]

    /// The handler of a method, and its index in ``names``.
    struct Entry: Sendable {
        let index: Int
        let carryOut: Handler
    }

    static let table = NameTable(all.enumerated().map { ($1.0, Entry(index: $0, carryOut: $1.1)) })

    /// The methods that change nothing, which are all that the scope `observe` may call.
    static let observing: Set<String> = [
        SessionAttach.name, SessionList.name, ViewModelList.name, ViewModelRead.name, ViewModelBind.name,
        ViewModelUnbind.name, RPCDiscover.name, CancelRequest.name,
    ]
    static let names = all.map(\.0)
}
