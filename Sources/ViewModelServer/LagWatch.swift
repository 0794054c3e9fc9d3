import NIOCore

/// A watch over a slow client, whose backlog defers its frames.
///
/// Isolation: confined to its event loop.
final class LagWatch {
    /// Delay before a slow client is logged.
    static let patience = TimeAmount.seconds(5)

    private let begun = NIODeadline.now()
    private var isLong = false
    private var task: Scheduled<Void>?

    /// Starts the watch.
    ///
    /// - Parameters:
    ///   - loop: the event loop of the connection.
    ///   - report: called once, if the client is still behind after ``patience``.
    init(loop: any EventLoop, isLong report: @escaping () -> Void) {
        let bound = NIOLoopBound((watch: self, report: report), eventLoop: loop)
        task = loop.scheduleTask(in: Self.patience) {
            bound.value.watch.isLong = true
            bound.value.report()
        }
    }

    /// Ends the watch.
    ///
    /// - Returns: how long the client was behind, or nil if it was not reported.
    @discardableResult
    func end() -> TimeAmount? {
        task?.cancel()
        task = nil
        return isLong ? NIODeadline.now() - begun : nil
    }
}
