import ViewModelKit
import ViewModelProtocol

/// A request that is not answered yet.
///
/// Isolation: confined to the peer's loop.
final class PendingRequest {
    /// Nil for an entry of a batch that has been answered already, and once the connection is gone.
    private(set) var id: RequestID?
    var batch: Batch?
    var place = 0
    /// What was called, for the log.
    var methodBytes: [UInt8]?
    /// Asks for the end of the work.
    var cancel: (() -> Void)?

    /// The name of what was called.
    var method: String? { methodBytes.map { String(decoding: $0, as: UTF8.self) } }

    init(id: RequestID) {
        self.id = id
    }

    init(batch: Batch) {
        id = nil
        self.batch = batch
    }

    /// Releases what only a reply needs: the work may go on for long after its connection is gone.
    func abandon() {
        id = nil
        batch = nil
        methodBytes = nil
        cancel = nil
    }
}

/// The entries of a batch that have been answered so far.
///
/// Isolation: confined to the peer's loop.
final class Batch {
    private var entries: [[UInt8]?] = []
    private var open = 0
    private(set) var ids: [RequestID] = []
    private var names: [Int: RequestID] = [:]
    /// Whether every entry has been started.
    var isComplete = false
    /// The bytes of the replies that wait for the others.
    private(set) var bytes = 0

    /// Keeps a place for a request whose reply is still to come.
    func reserve(_ id: RequestID) -> Int {
        entries.append(nil)
        ids.append(id)
        names[entries.count - 1] = id
        open += 1
        return entries.count - 1
    }

    func fill(_ place: Int, with reply: Reply) {
        guard entries[place] == nil, let id = names[place] else { return }
        open -= 1
        var lexeme = JSONWriter()
        id.write(to: &lexeme)
        let entry = lexeme.bytes.withUnsafeBytes { Self.entry(reply, $0) }
        entries[place] = entry
        bytes += entry.count
    }

    /// Adds the reply to what has no usable id of its own, or must not be known by it.
    func add(_ reply: Reply, lexeme: Bytes?) {
        let entry = Self.entry(reply, lexeme)
        entries.append(entry)
        bytes += entry.count
    }

    /// All replies, once there are all of them.
    func takeEntries() -> [[UInt8]]? {
        guard isComplete, open == 0 else { return nil }
        return entries.compactMap { $0 }
    }

    private static func entry(_ reply: Reply, _ lexeme: Bytes?) -> [UInt8] {
        var writer = JSONWriter()
        reply.write(id: lexeme, to: &writer)
        return writer.bytes
    }
}
