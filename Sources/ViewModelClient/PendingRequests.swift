import ViewModelProtocol

/// The requests of one connection that have no reply yet.
///
/// The type is a value without I/O. `Waiter` is the receiver of the reply.
struct PendingRequests<Waiter> {
    private struct Request {
        var waiter: Waiter
        var bytes: Int
        /// The line to send again on the next connection; nil for a request that is not repeated.
        var line: [UInt8]?
        /// The time of the first sending of a request that is repeated.
        var firstSent: ContinuousClock.Instant?
        /// Whether the request waits to be sent again.
        var isKept = false
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
    ///
    /// - Parameters:
    ///   - id: The request's id.
    ///   - waiter: The receiver of the reply.
    ///   - bytes: The length.
    ///   - line: The line to send again on the next connection, for a request with a retry key.
    mutating func add(_ id: Int, _ waiter: Waiter, bytes: Int, repeating line: [UInt8]? = nil) {
        requests[id] = Request(waiter: waiter, bytes: bytes, line: line, firstSent: line.map { _ in .now })
    }

    /// Returns whether a request has no reply yet and was not removed.
    func contains(_ id: Int) -> Bool {
        requests[id] != nil
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

    /// Removes the requests that are not repeated, and keeps the others for the next connection.
    ///
    /// - Returns: The waiters of the removed requests, the oldest first.
    mutating func removeUnrepeated() -> [Waiter] {
        let removed = requests.filter { $0.value.line == nil }
        requests = requests.filter { $0.value.line != nil }
        for id in requests.keys { requests[id]?.isKept = true }
        return removed.sorted { $0.key < $1.key }.map(\.value.waiter)
    }

    /// Returns the lines of the kept requests, the oldest first, which the caller sends again.
    ///
    /// - Parameter start: The earliest time of a first sending.
    /// - Returns: The lines, and the waiters of the requests that are too old and were removed.
    mutating func repeated(since start: ContinuousClock.Instant) -> (lines: [[UInt8]], late: [Waiter]) {
        var result: (lines: [[UInt8]], late: [Waiter]) = ([], [])
        for (id, request) in requests.sorted(by: { $0.key < $1.key }) where request.isKept {
            if let line = request.line, let firstSent = request.firstSent, firstSent >= start {
                result.lines.append(line)
                requests[id]?.isKept = false
            } else {
                result.late.append(request.waiter)
                requests[id] = nil
            }
        }
        return result
    }

    /// Removes the kept requests; returns their waiters, the oldest first.
    mutating func removeKept() -> [Waiter] {
        let kept = requests.filter(\.value.isKept)
        for id in kept.keys { requests[id] = nil }
        return kept.sorted { $0.key < $1.key }.map(\.value.waiter)
    }

    /// Removes the request that caused an error without an id; returns nil if the request is unknown.
    ///
    /// It is the oldest request above the length limit in the error, or the only pending request.
    mutating func removeCause(of error: ProtocolError) -> Waiter? {
        let sent = requests.filter { !$0.value.isKept }
        if error.code == .messageTooLarge, case .object(let data) = error.data,
            case .number(let digits) = data["limit"], let limit = Int(digits),
            let id = sent.filter({ $0.value.bytes > limit }).keys.min()
        {
            return remove(id)
        }
        guard sent.count == 1, let id = sent.keys.first else { return nil }
        return remove(id)
    }
}
