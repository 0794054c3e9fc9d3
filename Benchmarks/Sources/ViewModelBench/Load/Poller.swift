import BenchFloor
import Glibc

/// A set of sockets that a caller waits for with epoll.
final class Poller {
    private let descriptor = epoll_create1(0)
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    /// Registers sockets.
    ///
    /// Their indices identify them.
    init(_ sockets: [LoadSocket]) {
        for (index, socket) in sockets.enumerated() {
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(index)))
            epoll_ctl(descriptor, EPOLL_CTL_ADD, socket.descriptor, &event)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Waits until sockets are readable and calls a closure with the index of each.
    ///
    /// - Parameter readable: Reads from the socket with the index.
    /// - Throws: ``BenchFailure`` if no socket is readable within ten seconds, and any error of the closure.
    func wait(_ readable: (Int) throws -> Void) throws {
        let count = epoll_wait(descriptor, &events, Int32(events.count), 10_000)
        if count < 0, errno == EINTR { return }
        guard count > 0 else { throw BenchFailure("the server has not answered for ten seconds") }
        for event in events[..<Int(count)] {
            try readable(Int(event.data.u64))
        }
    }
}
