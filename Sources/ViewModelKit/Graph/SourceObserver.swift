/// Work at the commit of each step in which a source may have changed.
///
/// The work only reads. Releasing the observer ends it.
///
/// Isolation: confined to its session.
final class SourceObserver: AnyOutput {
    private let source: Node
    private let body: () -> Void

    init(of source: Node, _ body: @escaping () -> Void) {
        self.source = source
        self.body = body
        super.init(graph: source.graph)
        source.subscribe(self)
    }

    deinit {
        source.unsubscribe(self)
    }

    /// Runs the work.
    override func commitChange() -> Bool {
        _ = super.commitChange()
        body()
        return false
    }
}
