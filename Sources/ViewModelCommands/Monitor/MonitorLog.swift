import JSONRPC
import Foundation
import Synchronization
import ViewModelClient
import ViewModelContract
import ViewModelTranscript

/// The messages that `viewmodelctl monitor` shows, in the order of their arrival.
///
/// Connections append messages. One task removes the secrets and prints.
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

    private let items = AsyncStream<Item>.makeStream()
    private let connections = Mutex(0)

    /// Appends an item.
    func append(_ item: Item) {
        items.continuation.yield(item)
    }

    /// Prints the items until the task is cancelled.
    func write(to printer: Printer, contract: DiscoveredContract) async throws {
        let redactor = Redactor(contract: contract)
        for await item in items.stream {
            let line: MonitorLine
            switch item.content {
            case .event(let text):
                if text == "close" { redactor.close(item.connection ?? 0) }
                line = MonitorLine(time: item.time, connection: item.connection, mark: "-", text: text)
            case .message(let bytes, let isFromClient, let isShown):
                // The redactor needs the requests to know the replies.
                let event = redactor.redact(bytes, isFromClient: isFromClient, on: item.connection ?? 0)
                guard isShown else { continue }
                line = MonitorLine(time: item.time, connection: item.connection, event: event)
            }
            try printer.isText
                ? printer.print(text: line.text(columns: printer.columns)) : printer.print(line.json)
        }
    }
}

extension MonitorLog: RelayObserver {
    /// A relayed connection.
    struct Connection: RelayConnectionObserver {
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
