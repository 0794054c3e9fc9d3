import DequeModule
import Foundation
import JSONRPC
import Synchronization
import ViewModelClient
import ViewModelCommands
import ViewModelContract
import ViewModelTranscript

/// The messages that `viewmodelctl monitor` shows, in the order of their arrival.
///
/// Connections append messages, whose secrets are removed at once. One task prints the lines. Those for which the output
/// is too slow are dropped, the oldest first.
final class MonitorLog: Sendable {
    private let state: Mutex<(redactor: Redactor, backlog: MonitorBacklog)>
    private let wakes = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    private let connections = Atomic(0)

    /// Creates a log; the contract of the daemon tells the secrets.
    init(contract: Contract) {
        state = Mutex((Redactor(contract: contract), MonitorBacklog(maximumBytes: 16 << 20)))
    }

    /// Appends what happened beside the messages, such as "open" or "close", on a connection or on that of the monitor.
    func append(event text: String, on connection: Int? = nil) {
        state.withLock { state in
            if text == "close" { state.redactor.close(connection ?? 0) }
            state.backlog.append(MonitorLine(connection: connection, content: text), bytes: text.utf8.count)
        }
        wakes.continuation.yield()
    }

    func append(_ message: [UInt8], isFromClient: Bool, isShown: Bool = true, on connection: Int? = nil) {
        state.withLock { state in
            // The redactor needs all messages: it finds the method of a reply in the request, and it looks for known
            // secrets.
            let event = state.redactor.redact(message, isFromClient: isFromClient, on: connection ?? 0)
            if isShown { state.backlog.append(MonitorLine(connection, event), bytes: message.count) }
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
    /// The memory of a line beside its text.
    private static let overhead = 128

    private let maximumBytes: Int
    private var entries: Deque<(line: MonitorLine, bytes: Int)> = []
    private var bytes = 0
    /// The number of lines that were dropped since the last line was printed, and the time of the last one.
    private var dropped: (count: Int, time: Date)?

    init(maximumBytes: Int) {
        self.maximumBytes = maximumBytes
    }

    mutating func append(_ line: MonitorLine, bytes count: Int) {
        entries.append((line, count + Self.overhead))
        bytes += count + Self.overhead
        while bytes > maximumBytes, entries.count > 1, let oldest = removeFirst() {
            dropped = ((dropped?.count ?? 0) + 1, oldest.time)
        }
    }

    mutating func popFirst() -> MonitorLine? {
        guard let dropped = dropped.take() else { return removeFirst() }
        let text = "lines dropped because the output is slow: \(dropped.count)"
        return MonitorLine(time: dropped.time, connection: nil, content: text)
    }

    private mutating func removeFirst() -> MonitorLine? {
        let entry = entries.popFirst()
        bytes -= entry?.bytes ?? 0
        return entry?.line
    }
}

extension MonitorLog {
    /// Returns the observer of a new connection.
    func open() -> ConnectionObserver {
        let number = connections.add(1, ordering: .relaxed).newValue
        append(event: "open", on: number)
        return { [self] event in
            switch event {
            case .received(let message): append(Array(message), isFromClient: true, on: number)
            case .unreadable(let reason): append(event: "unreadable: \(reason)", on: number)
            case .sent(let message): append(message, isFromClient: false, on: number)
            case .closed: append(event: "close", on: number)
            }
        }
    }
}
