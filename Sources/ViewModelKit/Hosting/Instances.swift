/// The instances of a session, which a ViewModel opens and closes as clients do with `viewModel.open` and
/// `viewModel.close`.
///
/// A list of children is a list whose rows have ids of instances. An optional child is an output with an id or null:
///
///     @Output private(set) var shown: String?
///     private let instances: Instances
///
///     @Input func show(_ number: Int) throws {
///         shown = try instances.open(Card.self, id: "card-\(number)", arguments: Card.Arguments(number: number))
///     }
///
/// Isolation: confined to its session. Call it in a step, not in a derived value.
public final class Instances {
    /// The id of the instance that has this object, for a child its parent's; empty in a shared model.
    public let id: String
    private let graph: Graph
    /// The scope of the ViewModel or of the shared models, by which it differs from a later one of the same id.
    private weak var scope: TaskScope?

    init(_ graph: Graph, for id: String) {
        self.graph = graph
        self.id = id
        scope = graph.taskScope
    }

    private var isClosed: Bool { scope?.isOver ?? true }

    /// Returns the instance of an id and a type, which is created in the running step if it does not exist.
    ///
    /// A client that gets the id in a frame can use the instance, and may close it. It also closes with the instance whose
    /// ViewModel has created it, even after a restart. A named session restores it with its arguments, at the latest when
    /// the `init` of another ViewModel opens it again. An `init` must give an id: without one, it opens another instance
    /// each time.
    ///
    /// - Parameters:
    ///   - type: the type, which the catalog hosts.
    ///   - id: the id, or nil for a fresh one.
    ///   - arguments: the `Arguments` of the type. An instance that exists does not get them.
    /// - Returns: the id.
    /// - Throws: ``InvalidValue`` for an id that is malformed, reserved, another type's name, or that of an instance of
    ///   another type or of one that this step closes, and for arguments that do not fit, without a path, because no client
    ///   has sent the value; ``LimitExceeded`` for `limits.instancesPerSession` or `limits.bytesPerUser`;
    ///   ``CatalogError`` for a type that is not hosted; `CancellationError` if the ViewModel's own instance has closed.
    ///   Any other error of the `init` is logged.
    @discardableResult
    public func open<Type: ViewModel, Arguments: Encodable>(
        _ type: Type.Type,
        id: String? = nil,
        arguments: Arguments = JSON.emptyObject
    ) throws -> String {
        // After a mistake the session ends.
        guard graph.mayWrite(self, .use), !isClosed else { throw CancellationError() }
        let text = try graph.encode(arguments)
        return try graph.running(.current) {
            try graph.host.open(type.contract.name, id: id, arguments: text, for: self.id)
        }
    }

    /// Closes an instance after the running step, when the frames of the step have been sent.
    ///
    /// It may be the ViewModel's own: `instances.close(instances.id)`. The actions of the instance that execute are
    /// cancelled then, and the instances that it has opened close with it.
    ///
    /// - Parameter id: the id of the instance.
    /// - Returns: false if there is no instance of this id, if it is a child or built in, or if it is a later one with the
    ///   id of the ViewModel's own instance, which has closed.
    @discardableResult
    public func close(_ id: String) -> Bool {
        guard graph.mayWrite(self, .use), id != self.id || !isClosed, let close = graph.host.closing(id) else {
            return false
        }
        graph.stepLater(of: self, close)
        return true
    }
}
