import ViewModelProtocol

/// The requests of one connection that wait for their reply.
///
/// A value without I/O: `Waiter` is whatever wants to hear of the reply.
struct PendingRequests<Waiter> {
    private struct Request {
        var waiter: Waiter
        var bytes: Int
    }

    private var requests: [Int: Request] = [:]
    private var lastID = 0

    var isEmpty: Bool { requests.isEmpty }

    /// Counts up to an id that no request of this client has had.
    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Remembers who waits for the reply to a request of so many bytes.
    mutating func add(_ id: Int, _ waiter: Waiter, bytes: Int) {
        requests[id] = Request(waiter: waiter, bytes: bytes)
    }

    /// Forgets a request; nil where its reply has come, or nobody waits for it any more.
    mutating func remove(_ id: Int) -> Waiter? {
        requests.removeValue(forKey: id)?.waiter
    }

    /// Forgets all requests, the oldest first.
    mutating func takeAll() -> [Waiter] {
        defer { requests = [:] }
        return requests.sorted { $0.key < $1.key }.map(\.value.waiter)
    }

    /// Forgets the request that an error without an id complains about; nil where that cannot be told.
    ///
    /// It is the oldest that was longer than a message may be, or the only one.
    mutating func takeCulprit(of complaint: ProtocolError) -> Waiter? {
        if complaint.code == .messageTooLarge, case .object(let data) = complaint.data,
            case .number(let digits) = data["limit"], let limit = Int(digits),
            let id = requests.filter({ $0.value.bytes > limit }).keys.min()
        {
            return remove(id)
        }
        guard requests.count == 1, let id = requests.keys.first else { return nil }
        return remove(id)
    }
}
