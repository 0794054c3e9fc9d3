import Foundation
import Glibc
import Synchronization
import UnixIO

/// A watch for the end of the reader of the standard output, which no write reports while there is nothing to write.
package enum OutputHangup {
    /// Runs `work` until it ends, or until the output has no reader.
    ///
    /// A file has no reader that could end. Throws ``ClosedPipe`` if the reader has ended first, and cancels `work`.
    package static func end(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await work()
                return false
            }
            group.addTask {
                let hasEnded = await wait()
                try Task.checkCancellation()
                return hasEnded
            }
            defer { group.cancelAll() }
            if try await group.next() == true { throw ClosedPipe() }
        }
    }

    /// Waits until the output has no reader; returns false if the task was cancelled.
    private static func wait() async -> Bool {
        guard let pipe = try? DescriptorPipe() else {
            // Without descriptors the end is seen at the next write.
            try? await Task.sleep(for: .seconds(1 << 30))
            return false
        }
        let cancelled = pipe.output
        let cancel = Mutex<Int32?>(pipe.input)
        let hasEnded = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                Thread.detachNewThread { continuation.resume(returning: poll(until: cancelled)) }
            }
        } onCancel: {
            // The thread sees the end of the pipe.
            if let end = cancel.withLock({ $0.take() }) { close(end) }
        }
        if let end = cancel.withLock({ $0.take() }) { close(end) }
        close(cancelled)
        return hasEnded
    }

    private static func poll(until cancelled: Int32) -> Bool {
        // No event is requested of the output, because errors and hang-ups are always reported.
        var requests = [pollfd(fd: STDOUT_FILENO, events: 0, revents: 0), pollfd(fd: cancelled, events: 0, revents: 0)]
        while true {
            if Glibc.poll(&requests, nfds_t(requests.count), -1) < 0 {
                guard errno == EINTR else { return false }
                continue
            }
            if requests[1].revents != 0 { return false }
            if requests[0].revents & Int16(POLLERR | POLLHUP) != 0 { return true }
            // A closed descriptor fails at the next write. Negative numbers are ignored.
            if requests[0].revents != 0 { requests[0].fd = -1 }
        }
    }
}
