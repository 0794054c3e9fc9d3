import Synchronization

/// Texts in the order in which they were added.
final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    var texts: [String] { lines.withLock { $0 } }

    func append(_ text: String) { lines.withLock { $0.append(text) } }
}
