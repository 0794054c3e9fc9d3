import ViewModelHost
public import ViewModelKit

extension TestClient {
    /// The graph of the client's session.
    package var graph: Graph { loop.run { peer.graph } }

    /// Returns the ViewModel of an instance.
    ///
    /// Creates a default instance that does not exist yet.
    ///
    /// - Parameters:
    ///   - id: the id of the instance.
    ///   - type: the ViewModel's type.
    /// - Returns: the ViewModel.
    /// - Throws: `ProtocolError` when it could not be created, or ``HarnessError`` when there is no such instance of
    ///   this type.
    public func viewModel<Type: ViewModel>(_ id: String, as type: Type.Type = Type.self) throws -> Type {
        guard let object = try loop.run({ try peer.viewModel(id) }) else {
            throw HarnessError("there is no instance \(id)")
        }
        guard let viewModel = object as? Type else { throw HarnessError("\(id) is a \(Swift.type(of: object))") }
        return viewModel
    }
}
