import Glibc
import Logging
import ViewModelProtocol
import ViewModelStorage

/// A connection that listens for notifications of the database.
///
/// It connects again after a loss, with delays that grow and differ at random.
struct NotificationListener {
    let settings: ConnectionSettings
    var notices: ServerNotices?
    let channel: String
    let logger: Logger

    /// Listens until the task is cancelled.
    ///
    /// - Parameter report: called with the text of each notification, in order; with nil when it listens from now on, and
    ///   earlier notifications may have been missed. The next one waits for its end.
    func run(_ report: @Sendable (String?) async -> Void) async {
        var backoff = Backoff(initial: .milliseconds(100), maximum: .seconds(1), jitter: 0.5)
        var outage = OutageLog()
        while !Task.isCancelled {
            do throws(StoreError) {
                try await listen { text in
                    if text == nil {
                        backoff.reset()
                        _ = outage.succeeded()
                    }
                    await report(text)
                }
            } catch {
                guard !Task.isCancelled else { return }
                if outage.failed() {
                    logger.warning("Changes of other nodes arrive late", metadata: ["error": "\(error)"])
                }
                try? await Task.sleep(for: backoff.delay())
            }
        }
    }

    /// Listens on one connection until the task is cancelled.
    private func listen(_ report: (String?) async -> Void) async throws(StoreError) {
        let thread = ConnectionThread()
        defer { thread.close() }
        let failure = await withCheckedContinuation { continuation in
            thread.open(settings, notices) { continuation.resume(returning: $0) }
        }
        if let failure { throw failure }
        let (channel, limit) = (channel, settings.connectLimit)
        // libpq closes its descriptor when the connection is lost, and another file may get its number.
        let socket = try await thread.run { connection throws(StoreError) in
            try connection.queue("LISTEN \"\(channel)\"", [])
            _ = try connection.collect(until: Deadline(after: limit))
            let copy = fcntl(connection.socket, F_DUPFD_CLOEXEC, 0)
            try connection.check(copy >= 0)
            return copy
        }
        defer { close(socket) }
        await report(nil)
        while !Task.isCancelled {
            let texts = try await thread.run { connection throws(StoreError) in
                try connection.nextNotifications()
            } onCancel: {
                // The thread, which waits for the socket, then reads its end.
                shutdown(socket, Int32(SHUT_RD))
            }
            for text in texts { await report(text) }
        }
    }
}
