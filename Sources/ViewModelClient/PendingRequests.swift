import ViewModelProtocol

/// The requests of one connection that have no reply yet.
///
/// The type is a value without I/O. `Waiter` is the receiver of the reply.
struct PendingRequests<Waiter> {
    private struct Request {
        var waiter: Waiter
        var bytes: Int
    }

    private var requests: [Int: Request] = [:]
    private var lastID = 0

    var isEmpty: Bool { requests.isEmpty }

    /// Returns an id that this client has not used.
    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Adds a request with its waiter and its length in bytes.
    mutating func add(_ id: Int, _ waiter: Waiter, bytes: Int) {
        requests[id] = Request(waiter: waiter, bytes: bytes)
    }

    /// Removes a request; returns nil if it has got its reply or was removed.
    mutating func remove(_ id: Int) -> Waiter? {
        requests.removeValue(forKey: id)?.waiter
    }

    /// Removes all requests; returns their waiters, the oldest first.
    mutating func removeAll() -> [Waiter] {
        defer { requests = [:] }
        return requests.sorted { $0.key < $1.key }.map(\.value.waiter)
    }

    /// Removes the request that caused an error without an id; returns nil if the request is unknown.
    ///
    /// It is the oldest request above the length limit in the error, or the only pending request.
    mutating func removeCause(of error: ProtocolError) -> Waiter? {
        if error.code == .messageTooLarge, case .object(let data) = error.data,
            case .number(let digits) = data["limit"], let limit = Int(digits),
            let id = requests.filter({ $0.value.bytes > limit }).keys.min()
        {
            return remove(id)
        }
        guard requests.count == 1, let id = requests.keys.first else { return nil }
        return remove(id)
    }
}
