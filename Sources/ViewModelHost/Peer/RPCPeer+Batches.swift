import ViewModelProtocol

/// Batches: several messages in an array, which get one array of replies (protocol, section 2).
extension RPCPeer {
    func receive(_ batch: (entries: [Envelope], count: Int), in message: Bytes) {
        let limit = limits.batch
        guard batch.count > 0 else { return write(invalid(.emptyBatch), to: .null) }
        guard batch.count <= limit else { return refuse(.limitExceeded(limit: "limits.batch", value: limit)) }
        guard turn == nil else { return proceed(Batch(), batch.entries[...], in: message) }
        turn = Turn(at: loop.now, of: Self.longestTurn)
        proceed(Batch(), batch.entries[...], in: message)
        turn = nil
    }

    /// Starts the entries of a batch in order, until one moves the connection to another session or the turn is over.
    private func proceed(_ batch: Batch, _ envelopes: ArraySlice<Envelope>, in message: Bytes) {
        for (index, envelope) in zip(envelopes.indices, envelopes) {
            // An earlier entry may have closed the connection.
            if isClosed { return }
            if isMoving || (index > envelopes.startIndex && isTurnOver()) {
                batch.rest = (envelopes[index...], Array(message))
                waitingBatch = batch
                return
            }
            start(envelope, of: batch, in: message)
        }
        batch.isComplete = true
        finish(batch)
    }

    /// Continues a batch in a new turn.
    package func resumeBatch() {
        guard !isClosed, !isMoving, let batch = waitingBatch.take() else { return }
        let (envelopes, message) = batch.rest
        batch.rest = ([], [])
        message.withUnsafeBytes { proceed(batch, envelopes, in: $0) }
    }

    func finish(_ batch: Batch) {
        guard let entries = batch.completeReplies() else { return }
        for id in batch.ids { inFlight[id] = nil }
        release(bytes: batch.ids.reduce(batch.bytes) { $0 + Self.heldBytes(of: $1) })
        guard !entries.isEmpty else { return }
        sink?.write { writer in
            for (index, entry) in entries.enumerated() {
                writer.byte(index == 0 ? UInt8(ascii: "[") : UInt8(ascii: ","))
                writer.raw(entry)
            }
            writer.byte(UInt8(ascii: "]"))
        }
    }
}

/// The replies of a batch so far.
///
/// Isolation: confined to the peer's loop.
final class Batch {
    private var entries: [(id: RequestID?, text: [UInt8]?)] = []
    private var open = 0
    /// The entries that wait for the end of a move or for the next turn, in their message.
    var rest: (envelopes: ArraySlice<Envelope>, message: [UInt8]) = ([], [])
    /// Whether every entry has been started.
    var isComplete = false
    /// The bytes of the replies so far, which wait for the others.
    private(set) var bytes = 0

    var ids: some Sequence<RequestID> { entries.lazy.compactMap(\.id) }

    /// Reserves an entry for a later reply, and returns its index.
    func reserve(_ id: RequestID) -> Int {
        entries.append((id, nil))
        open += 1
        return entries.count - 1
    }

    /// Fills a reserved entry, unless it is filled already.
    ///
    /// - Returns: The bytes by which the batch has grown.
    func fill(_ index: Int, with reply: Reply) -> Int {
        guard entries[index].text == nil, let id = entries[index].id else { return 0 }
        open -= 1
        let text = Self.text(reply, id)
        entries[index].text = text
        bytes += text.count
        return text.count
    }

    /// Appends a reply without a reserved entry: to an invalid or rejected request.
    ///
    /// - Returns: The bytes by which the batch has grown.
    func add(_ reply: Reply, to id: RequestID) -> Int {
        let text = Self.text(reply, id)
        entries.append((nil, text))
        bytes += text.count
        return text.count
    }

    /// Returns all replies once they are complete, else nil.
    func completeReplies() -> [[UInt8]]? {
        guard isComplete, open == 0 else { return nil }
        return entries.compactMap(\.text)
    }

    private static func text(_ reply: Reply, _ id: RequestID) -> [UInt8] {
        var writer = JSONWriter()
        reply.write(to: id, with: &writer)
        return writer.bytes
    }
}
