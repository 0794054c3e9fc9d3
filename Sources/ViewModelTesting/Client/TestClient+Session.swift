import ViewModelHost
public import ViewModelKit

extension TestClient {
    /// The graph of the session that the client is in.
    package var graph: Graph { loop.run { peer.graph } }

    /// The ViewModel behind an instance, which comes into being if it is a default one.
    ///
    /// - Throws: `ProtocolError` when it could not be made; ``HarnessError`` when there is none of this type.
    public func viewModel<Type: ViewModel>(_ id: String, as type: Type.Type = Type.self) throws -> Type {
        guard let object = try loop.run({ try peer.viewModel(id) }) else {
            throw HarnessError("there is no instance \(id)")
        }
        guard let viewModel = object as? Type else { throw HarnessError("\(id) is a \(Swift.type(of: object))") }
        return viewModel
    }
}
