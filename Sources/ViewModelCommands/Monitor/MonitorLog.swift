import DequeModule
import Foundation
import JSONRPC
import Synchronization
import ViewModelClient
import ViewModelContract
import ViewModelTranscript

/// The messages that `viewmodelctl monitor` shows, in the order of their arrival.
///
/// Connections append messages, whose secrets are removed at once. One task prints the lines. Those for which the output
/// is too slow are dropped, the oldest first.
final class MonitorLog: Sendable {
    /// A message or an event.
    struct Item: Sendable {
        enum Content: Sendable {
            case message([UInt8], isFromClient: Bool, isShown: Bool)
            /// What happened beside the messages, such as "open" or "close".
            case event(String)
        }

        var time = Date.now
        /// The number of the connection; nil for that of the monitor itself.
        var connection: Int?
        var content: Content
    }

    private struct State {
        let redactor: Redactor
        var backlog: MonitorBacklog
    }

    private let state: Mutex<State>
    private let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let connections = Mutex(0)

    /// Creates a log.
    ///
    /// - Parameters:
    ///   - contract: The contract of the daemon, which tells the secrets.
    ///   - maximumBytes: The number of bytes that may wait for the output.
    init(contract: Contract, maximumBytes: Int = 16 << 20) {
        state = Mutex(
            State(redactor: Redactor(contract: contract), backlog: MonitorBacklog(maximumBytes: maximumBytes))
        )
    }

    /// Appends an item.
    func append(_ item: Item) {
        state.withLock { state in
            switch item.content {
            case .event(let text):
                if text == "close" { state.redactor.close(item.connection ?? 0) }
                let line = MonitorLine(time: item.time, connection: item.connection, mark: "-", text: text)
                state.backlog.append(line, bytes: text.utf8.count, at: item.time)
            case .message(let bytes, let isFromClient, let isShown):
                // The redactor needs all messages: it finds the method of a reply in the request, and it looks for known
                // secrets.
                let event = state.redactor.redact(bytes, isFromClient: isFromClient, on: item.connection ?? 0)
                guard isShown else { return }
                let line = MonitorLine(time: item.time, connection: item.connection, event: event)
                state.backlog.append(line, bytes: bytes.count, at: item.time)
            }
        }
        wakes.continuation.yield()
    }

    /// Prints the lines until the task is cancelled.
    func write(to printer: Printer) async throws {
        for await _ in wakes.stream {
            while let line = state.withLock({ $0.backlog.popFirst() }) {
                try printer.print(line.json, as: line.text(columns: printer.columns))
            }
        }
    }
}

/// The lines that wait for the output of a monitor.
///
/// Beyond the limit it drops the oldest lines, but never the newest one. A line with their number stands in their place.
struct MonitorBacklog {
    private struct Entry {
        let line: MonitorLine
        let time: Date
        let bytes: Int
    }

    /// The memory of a line beside its text.
    private static let overhead = 128

    private let maximumBytes: Int
    private var entries: Deque<Entry> = []
    private var bytes = 0
    /// The number of lines that were dropped since the last line was taken, and the time of the last one.
    private var dropped: (count: Int, time: Date)?

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    mutating func append(_ line: MonitorLine, bytes count: Int, at time: Date) {
        entries.append(Entry(line: line, time: time, bytes: count + Self.overhead))
        bytes += count + Self.overhead
        while bytes > maximumBytes, entries.count > 1, let oldest = take() {
            dropped = ((dropped?.count ?? 0) + 1, oldest.time)
        }
    }

    mutating func popFirst() -> MonitorLine? {
        if let dropped = dropped.take() {
            let text = "lines dropped because the output is slow: \(dropped.count)"
            return MonitorLine(time: dropped.time, connection: nil, mark: "-", text: text)
        }
        return take()?.line
    }

    private mutating func take() -> Entry? {
        let entry = entries.popFirst()
        bytes -= entry?.bytes ?? 0
        return entry
    }
}

extension MonitorLog {
    /// A relayed connection.
    struct Connection: ConnectionObserver {
        fileprivate let log: MonitorLog
        fileprivate let number: Int

        func received(_ message: Bytes) { append(.message(Array(message), isFromClient: true, isShown: true)) }

        func sent(_ message: [UInt8]) { append(.message(message, isFromClient: false, isShown: true)) }

        func receivedUnreadable(_ reason: String) { append(.event("unreadable: \(reason)")) }

        func close() { append(.event("close")) }

        fileprivate func append(_ content: Item.Content) {
            log.append(Item(connection: number, content: content))
        }
    }

    func open() -> Connection {
        let number = connections.withLock { number in
            number += 1
            return number
        }
        let connection = Connection(log: self, number: number)
        connection.append(.event("open"))
        return connection
    }
}
