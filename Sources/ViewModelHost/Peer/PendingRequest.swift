import ViewModelKit
import ViewModelProtocol

/// A request that is not answered yet.
///
/// Isolation: confined to the peer's loop.
final class PendingRequest {
    /// Nil for an entry of a batch that has been answered already.
    let id: RequestID?
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
        entries[place] = lexeme.bytes.withUnsafeBytes { Self.entry(reply, $0) }
    }

    /// Adds the reply to what has no usable id of its own, or must not be known by it.
    func add(_ reply: Reply, lexeme: Bytes?) {
        entries.append(Self.entry(reply, lexeme))
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
