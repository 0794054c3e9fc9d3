import NIOCore

/// Watches a client that is behind: more is unsent for it than lets frames go out.
///
/// Isolation: confined to its event loop.
final class LagWatch {
    /// How long a client may be behind before it is told of.
    static let patience = TimeAmount.seconds(5)

    private let begun = NIODeadline.now()
    private var isLong = false
    private var task: Scheduled<Void>?

    /// - Parameter isLong: called once, if the client is still behind after ``patience``.
    init(loop: any EventLoop, isLong report: @escaping () -> Void) {
        let bound = NIOLoopBound((watch: self, report: report), eventLoop: loop)
        task = loop.scheduleTask(in: Self.patience) {
            bound.value.watch.isLong = true
            bound.value.report()
        }
    }

    /// Ends the watch.
    ///
    /// - Returns: for how long the client was behind, where it has been told of.
    @discardableResult
    func end() -> TimeAmount? {
        task?.cancel()
        task = nil
        return isLong ? NIODeadline.now() - begun : nil
    }
}
