import NIOCore

/// Watches a connection that is not read from because its client takes no replies (`limits.stallSeconds`).
///
/// Isolation: confined to its event loop.
final class StallWatch {
    private let limit: TimeAmount
    private let buffered: () -> Int
    private let stalled: () -> Void
    private var least: Int
    private var lastProgress = NIODeadline.now()
    private var task: RepeatedTask?

    /// - Parameters:
    ///   - buffered: how many bytes wait for the client; while it is watched none are added but replies of actions.
    ///   - stalled: called once, when the kernel has taken nothing for the whole limit.
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
