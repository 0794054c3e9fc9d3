import Glibc
import Synchronization
import UnixIO

/// A pipe that other threads use to run work on the accept thread.
final class AcceptWakeup: Sendable {
    /// Work on the accept thread, which may change what the thread polls: this pipe, then its sockets.
    ///
    /// The thread ends if that is nothing.
    typealias Work = @Sendable (_ polled: inout [pollfd]) -> Void

    /// The reading end of the pipe, which the accept thread polls together with its sockets.
    let descriptor: Int32
    private let writingEnd: Int32
    private let work = Mutex<[Work]>([])

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
        execute { $0 = [] }
    }

    /// Runs work on the accept thread between two connections.
    func execute(_ new: @escaping Work) {
        work.withLock { $0.append(new) }
        var byte: UInt8 = 0
        // If the pipe is full, the thread is already awake.
        _ = write(writingEnd, &byte, 1)
    }

    /// Drains the pipe and runs the queued work.
    ///
    /// Called on the accept thread.
    func drain(_ polled: inout [pollfd]) {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        let queued = work.withLock { work in
            defer { work = [] }
            return work
        }
        for work in queued { work(&polled) }
    }
}
