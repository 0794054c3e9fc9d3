import ViewModelKit
import ViewModelProtocol

/// A request without a reply.
///
/// Isolation: confined to the peer's loop.
final class PendingRequest {
    /// The id; nil for a batch entry that was answered at once, and after the connection has closed.
    ///
    /// Such a batch entry only reserves its id until the batch is answered.
    private(set) var id: RequestID?
    var batch: Batch?
    var place = 0
    /// The called method, for the log.
    var methodBytes: [UInt8]?
    /// Requests the cancellation of the work.
    var cancel: (() -> Void)?

    /// The name of the called method.
    var method: String? { methodBytes.map { String(decoding: $0, as: UTF8.self) } }

    init(id: RequestID) {
        self.id = id
    }

    init(batch: Batch) {
        id = nil
        self.batch = batch
    }

    /// Releases the state that only a reply needs, because the work may continue long after the connection has closed.
    func abandon() {
        id = nil
        batch = nil
        methodBytes = nil
        cancel = nil
    }
}

/// The replies of a batch so far.
///
/// Isolation: confined to the peer's loop.
final class Batch {
    private var entries: [[UInt8]?] = []
    private var open = 0
    private(set) var ids: [RequestID] = []
    private var names: [Int: RequestID] = [:]
    /// Whether every entry has been started.
    var isComplete = false
    /// The bytes of the replies so far, which wait for the others.
    private(set) var bytes = 0

    /// Reserves an entry for a later reply, and returns its index.
    func reserve(_ id: RequestID) -> Int {
        entries.append(nil)
        ids.append(id)
        names[entries.count - 1] = id
        open += 1
        return entries.count - 1
    }

    /// Fills a reserved entry, unless it is filled already.
    ///
    /// - Returns: The bytes by which the batch has grown.
    func fill(_ place: Int, with reply: Reply) -> Int {
        guard entries[place] == nil, let id = names[place] else { return 0 }
        open -= 1
        var lexeme = JSONWriter()
        id.write(to: &lexeme)
        let entry = lexeme.bytes.withUnsafeBytes { Self.entry(reply, $0) }
        entries[place] = entry
        bytes += entry.count
        return entry.count
    }

    /// Appends a reply without a reserved entry: to an invalid or rejected request.
    ///
    /// - Returns: The bytes by which the batch has grown.
    func add(_ reply: Reply, lexeme: Bytes?) -> Int {
        let entry = Self.entry(reply, lexeme)
        entries.append(entry)
        bytes += entry.count
        return entry.count
    }

    /// Returns all replies once they are complete, else nil.
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
