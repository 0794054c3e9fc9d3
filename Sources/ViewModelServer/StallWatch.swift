import NIOCore

/// A watch over a connection that reads no requests because its client does not read replies.
///
/// `limits.stallSeconds` is the time after which the connection is closed.
///
/// Isolation: confined to its event loop.
final class StallWatch {
    private let limit: TimeAmount
    private let buffered: () -> Int
    private let stalled: () -> Void
    private var least: Int
    private var lastProgress = NIODeadline.now()
    private var task: RepeatedTask?

    /// Starts the watch.
    ///
    /// It checks the buffer after each twentieth of the limit, but not more often than every 50 ms.
    ///
    /// - Parameters:
    ///   - loop: the event loop of the connection.
    ///   - limit: the time without progress after which the client counts as stalled.
    ///   - buffered: returns the bytes that wait for the client. During the watch only replies of actions add to them.
    ///   - stalled: called once, when the kernel has accepted no byte for the whole limit.
    init(loop: any EventLoop, limit: TimeAmount, buffered: @escaping () -> Int, stalled: @escaping () -> Void) {
        self.limit = limit
        self.buffered = buffered
        self.stalled = stalled
        least = buffered()
        let interval = TimeAmount.nanoseconds(max(limit.nanoseconds / 20, 50_000_000))
        let bound = NIOLoopBound(self, eventLoop: loop)
        task = loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in bound.value.check() }
    }

    func end() {
        task?.cancel()
        task = nil
    }

    private func check() {
        let now = buffered()
        if now < least {
            least = now
            lastProgress = .now()
        } else if NIODeadline.now() - lastProgress >= limit {
            end()
            stalled()
        }
    }
}
