import ViewModelKit
import ViewModelProtocol

/// The protocol's own methods, by name.
enum ProtocolMethods {
    typealias Handler =
        @Sendable (Conversation, ParamsReader, _ id: Bytes?) throws(ProtocolError) -> Conversation.Dispatched

    private static let all: [(String, Handler)] = [
        (SessionAttach.name, { c, params, id throws(ProtocolError) in try c.attach(params.object(SessionAttach.Params.self), id) }),
        (SessionList.name, { c, params, _ throws(ProtocolError) in try c.listSessions(params.object(NoParams.self)) }),
        (SessionClose.name, { c, params, id throws(ProtocolError) in try c.closeSession(params.object(SessionClose.Params.self), id) }),
        (ViewModelOpen.name, { c, params, id throws(ProtocolError) in try c.open(params.object(ViewModelOpen.Params.self), id) }),
        (ViewModelClose.name, { c, params, id throws(ProtocolError) in try c.close(params.object(ViewModelClose.Params.self), id) }),
        (ViewModelList.name, { c, params, id throws(ProtocolError) in try c.list(params.object(NoParams.self), id) }),
        (ViewModelRead.name, { c, params, id throws(ProtocolError) in try c.read(params.object(ViewModelRead.Params.self), id) }),
        (ViewModelBind.name, { c, params, id throws(ProtocolError) in try c.bind(params.object(ViewModelBind.Params.self), id) }),
        (ViewModelUnbind.name, { c, params, id throws(ProtocolError) in try c.unbind(params.object(ViewModelUnbind.Params.self), id) }),
        (RPCDiscover.name, { c, params, _ throws(ProtocolError) in try c.discover(params.object(NoParams.self)) }),
        (CancelRequest.name, { c, params, _ throws(ProtocolError) in c.cancelRequest(params) }),
    ]

    static let table = NameTable(all)
    static let names = all.map(\.0)
}
