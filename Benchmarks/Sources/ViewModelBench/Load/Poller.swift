import BenchFloor
import Glibc

/// Waits for whichever of many sockets can be read.
final class Poller {
    private let descriptor = epoll_create1(0)
    private var events = [epoll_event](repeating: epoll_event(), count: 256)

    /// Watches sockets, which are told apart by their indices.
    init(_ sockets: [LoadSocket]) {
        for (index, socket) in sockets.enumerated() {
            var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: UInt64(index)))
            epoll_ctl(descriptor, EPOLL_CTL_ADD, socket.descriptor, &event)
        }
    }

    deinit {
        close(descriptor)
    }

    /// Waits until sockets can be read.
    ///
    /// - Throws: where none can be within ten seconds: the server has stopped to answer.
    func wait(_ readable: (Int) throws -> Void) throws {
        let count = epoll_wait(descriptor, &events, Int32(events.count), 10_000)
        if count < 0, errno == EINTR { return }
        guard count > 0 else { throw BenchFailure("the server has not answered for ten seconds") }
        for event in events[..<Int(count)] {
            try readable(Int(event.data.u64))
        }
    }
}
