import Glibc
import Synchronization
import UnixIO

/// A pipe that other threads use to wake the accept thread.
final class AcceptWakeup: Sendable {
    private struct State {
        var isStopping = false
        var work: [@Sendable () -> Void] = []
    }

    /// The reading end of the pipe, which the accept thread polls together with its sockets.
    let descriptor: Int32
    private let writingEnd: Int32
    private let state = Mutex(State())

    init() throws(SocketError) {
        do {
            let pipe = try DescriptorPipe()
            (descriptor, writingEnd) = (pipe.output, pipe.input)
        } catch {
            throw SocketError("no pipe could be made: \(error)")
        }
        for end in [descriptor, writingEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    deinit {
        close(descriptor)
        close(writingEnd)
    }

    /// Ends the accept thread.
    func stop() {
        state.withLock { $0.isStopping = true }
        wakeThread()
    }

    /// Runs work on the accept thread between two connections.
    func execute(_ work: @escaping @Sendable () -> Void) {
        state.withLock { $0.work.append(work) }
        wakeThread()
    }

    /// Drains the pipe and runs the queued work.
    ///
    /// Called on the accept thread.
    ///
    /// - Returns: false when the thread must end.
    func drain() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        let former = state.withLock { state in
            defer { state.work = [] }
            return state
        }
        for work in former.work { work() }
        return !former.isStopping
    }

    private func wakeThread() {
        var byte: UInt8 = 0
        // If the pipe is full, the thread is already awake.
        _ = write(writingEnd, &byte, 1)
    }
}
