/// Work at the commit of each step that has changed a source.
///
/// The work only reads. Releasing the observer ends it.
///
/// Isolation: confined to its session.
final class SourceObserver: AnyOutput {
    private let source: Node
    private let body: () -> Void
    private var seenVersion: Int

    init(of source: Node, _ body: @escaping () -> Void) {
        self.source = source
        self.body = body
        // The first refresh subscribes a derived source to its own sources.
        source.refresh()
        seenVersion = source.version
        super.init(graph: source.graph)
        source.subscribe(self)
    }

    deinit {
        source.unsubscribe(self)
    }

    /// Runs the work.
    override func commitChange() -> Bool {
        source.refresh()
        if source.version != seenVersion {
            seenVersion = source.version
            body()
        }
        return false
    }
}
