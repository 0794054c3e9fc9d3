import NIOCore
import ViewModelHost
import ViewModelKit

/// A session loop that runs on a NIO event loop.
final class EventLoopSessionLoop: SessionLoop {
    let eventLoop: any EventLoop
    /// State that the connections of this loop share.
    ///
    /// Confined to the loop.
    let state: NIOLoopBound<LoopState>
    /// Retained, because the loop wakes it.
    private let watch: LoopWatch

    /// Called on the event loop.
    init(_ eventLoop: any EventLoop, watch: LoopWatch = LoopWatch(), limits: @escaping () -> HostConfiguration.Limits) {
        self.eventLoop = eventLoop
        self.watch = watch
        watch.addThread()
        state = NIOLoopBound(LoopState(eventLoop, limits: limits), eventLoop: eventLoop)
    }

    var isCurrent: Bool { eventLoop.inEventLoop }

    var now: Duration { .nanoseconds(Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }

    func execute(_ work: @escaping @Sendable () -> Void) {
        eventLoop.execute(work)
    }

    func count(heldBytes change: Int, of uid: UInt32) {
        state.value.users.count(change, of: uid, by: nil)
    }

    func heldBytes(of uid: UInt32) -> Int { state.value.users.held(by: uid) }

    func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any ScheduledWork {
        eventLoop.scheduleTask(in: TimeAmount(delay), work)
    }
}

extension Scheduled<Void>: ScheduledWork {}
