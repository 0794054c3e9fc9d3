import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// How other threads reach the one that waits for connections.
final class AcceptWakeup: Sendable {
    private struct State {
        var isStopping = false
        var work: [@Sendable () -> Void] = []
    }

    /// What the thread waits for beside its sockets: readable when there is something in the wakeup.
    let descriptor: Int32
    private let wake: Int32
    private let state = Mutex(State())

    init() throws(SocketError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else {
            throw SocketError("no pipe could be made: \(ListeningSocket.lastError)")
        }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        (descriptor, wake) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(wake)
    }

    /// Makes the thread end.
    func stop() {
        state.withLock { $0.isStopping = true }
        ring()
    }

    /// Makes the thread do something between two connections.
    func execute(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.work.append(work) }
        ring()
    }

    /// Does what there is to do; on the thread.
    ///
    /// - Returns: false when the thread is to end.
    func empty() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        let taken = state.withLock { state in
            defer { state.work = [] }
            return state
        }
        for work in taken.work { work() }
        return !taken.isStopping
    }

    private func ring() {
        var byte: UInt8 = 0
        // A full pipe has woken the thread already.
        _ = write(wake, &byte, 1)
    }
}
