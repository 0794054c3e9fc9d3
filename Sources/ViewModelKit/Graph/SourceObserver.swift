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

    /// Creates work that begins when a source has changed and then stays unchanged for an interval.
    ///
    /// With an interval of zero the work begins at the commit, and only reads. Otherwise it runs in a step of its own, and
    /// `waits` is called at the commit.
    convenience init(
        of source: Node,
        after interval: Duration,
        waits: @escaping () -> Void = {},
        _ body: @escaping () -> Void
    ) {
        guard interval > .zero else {
            self.init(of: source, body)
            return
        }
        // Releasing the observer releases the timer, which cancels it.
        var timer: SessionTimer?
        self.init(of: source) { [unowned graph = source.graph] in
            timer?.cancel()
            waits()
            timer = graph.schedule(after: interval, body)
        }
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
