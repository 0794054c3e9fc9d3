import CPostgres
import Glibc
import Logging
import Synchronization
import ViewModelProtocol

/// A connection that listens for notifications of the database.
///
/// It connects again after a loss, with delays that grow and differ at random.
package final class NotificationListener: Sendable {
    package enum Event: Equatable, Sendable {
        /// The listener listens from now on. Earlier notifications may have been missed.
        case listening
        case notification(String)
    }

    private let settings: ConnectionSettings
    private let channel: String
    private let notices: ServerNotices?
    private let logger: Logger
    /// A pair of sockets.
    ///
    /// The one for reading becomes readable when the listener must stop.
    private let wakeup: (reading: Int32, writing: Int32)

    init(_ settings: ConnectionSettings, _ notices: ServerNotices? = nil, channel: String, logger: Logger) {
        self.settings = settings
        self.notices = notices
        self.channel = channel
        self.logger = logger
        var ends: [Int32] = [-1, -1]
        // Without descriptors the listener cannot connect either. It then stops only at the end of the process.
        let type = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        _ = socketpair(AF_UNIX, Int32(type), 0, &ends)
        wakeup = (ends[0], ends[1])
    }

    deinit {
        for descriptor in [wakeup.reading, wakeup.writing] where descriptor >= 0 { close(descriptor) }
    }

    /// Listens until the task is cancelled.
    ///
    /// - Parameter report: called for each event, in order. The next event waits for its end.
    package func run(_ report: @Sendable (Event) async -> Void) async {
        var backoff = Backoff(initial: .milliseconds(100), maximum: .seconds(1), jitter: 0.5)
        var outage = OutageLog()
        while !Task.isCancelled {
            let failure = await listen { event in
                if event == .listening {
                    backoff.reset()
                    _ = outage.succeeded()
                }
                await report(event)
            }
            guard let failure, !Task.isCancelled else { return }
            if outage.failed() {
                logger.warning("Changes of other nodes arrive late", metadata: ["error": "\(failure)"])
            }
            try? await Task.sleep(for: backoff.delay())
        }
    }

    /// Listens on one connection; returns nil if the task was cancelled.
    private func listen(_ report: (Event) async -> Void) async -> PostgresError? {
        let thread = ConnectionThread()
        defer { thread.close() }
        let failure = await withCheckedContinuation { continuation in
            thread.open(settings, notices) { continuation.resume(returning: $0) }
        }
        if let failure { return failure }
        let (channel, limit, wakeup) = (channel, settings.connectLimit, wakeup)
        let refusal = await thread.run { connection in
            do throws(PostgresError) {
                try connection?.queue("LISTEN \"\(channel)\"", [])
                _ = try connection?.collect(until: Deadline(after: limit))
                return nil as PostgresError?
            } catch {
                return error
            }
        }
        if let refusal { return refusal }
        await report(.listening)
        while !Task.isCancelled {
            let outcome = await withTaskCancellationHandler {
                await thread.run { Self.wait($0, wakeup.reading) }
            } onCancel: {
                var byte: UInt8 = 1
                _ = write(wakeup.writing, &byte, 1)
            }
            switch outcome {
            case .failure(let error): return error
            case .success(let events): for event in events { await report(event) }
            }
        }
        return nil
    }

    /// Blocks until notifications have arrived, or the listener must stop.
    private static func wait(_ connection: PostgresConnection?, _ wakeup: Int32) -> Result<[Event], PostgresError> {
        Result { () throws(PostgresError) in
            guard let connection else { return [] }
            var events = connection.notifications()
            while events.isEmpty {
                var descriptors = [
                    pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0),
                    pollfd(fd: wakeup, events: Int16(POLLIN), revents: 0),
                ]
                _ = Deadline.wait(&descriptors, until: nil)
                if descriptors[1].revents != 0 { return [] }
                try connection.consumeInput()
                events = connection.notifications()
            }
            return events.map { .notification($0) }
        }
    }
}
