import ViewModelProtocol

/// The requests of one connection that have no reply yet.
///
/// The type is a value without I/O. `Waiter` is the receiver of the reply.
struct PendingRequests<Waiter> {
    private struct Request {
        var waiter: Waiter
        var bytes: Int
        /// The line of a call, to send again on the next connection; nil for a request of the client itself.
        var line: [UInt8]?
        /// Whether the call has a retry key.
        var isKeyed: Bool
        /// The time of the first sending; nil after a refusal that says that the call did not run.
        var firstSent: ContinuousClock.Instant?
        /// Whether the request waits to be sent again.
        var isKept = false
        /// Whether an earlier connection may have run the call.
        var isRepeated = false
    }

    private var requests: [Int: Request] = [:]
    private var lastID = 0

    var isEmpty: Bool { requests.isEmpty }

    /// Whether a call has no reply yet.
    var hasCalls: Bool { requests.values.contains { $0.line != nil && !$0.isKept } }

    /// Returns an id that this client has not used.
    mutating func nextID() -> Int {
        lastID += 1
        return lastID
    }

    /// Adds a request with its waiter and its length in bytes; one with a line is a call, which may be sent again.
    ///
    /// A call without a retry key is sent again only if it did not run.
    mutating func add(_ id: Int, _ waiter: Waiter, bytes: Int, repeating line: [UInt8]? = nil, isKeyed: Bool = true) {
        requests[id] = Request(
            waiter: waiter,
            bytes: bytes,
            line: line,
            isKeyed: isKeyed && line != nil,
            firstSent: .now
        )
    }

    /// Keeps a call that the daemon has refused without running it; returns false if the request is no call.
    mutating func keepRefused(_ id: Int) -> Bool {
        guard let request = requests[id], request.line != nil else { return false }
        if !request.isRepeated { requests[id]?.firstSent = nil }
        requests[id]?.isKept = true
        return true
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

    /// Removes the requests that are not repeated, and keeps the others; returns the removed waiters, the oldest first.
    mutating func removeUnrepeated(keepsKeyed: Bool = true) -> [Waiter] {
        let isRepeated = { (request: Request) in
            request.firstSent == nil || keepsKeyed && request.isKeyed
        }
        let removed = requests.filter { !isRepeated($0.value) }
        requests = requests.filter { isRepeated($0.value) }
        for id in requests.keys { requests[id]?.isKept = true }
        return removed.sorted { $0.key < $1.key }.map(\.value.waiter)
    }

    /// Returns the lines of the kept requests, the oldest first, which the caller sends again.
    ///
    /// - Parameter start: The earliest time of a first sending, or nil if the daemon knows no key. A call that did not
    ///   run is sent at any time.
    /// - Returns: The lines, and the waiters of the requests that are too old and were removed.
    mutating func repeated(since start: ContinuousClock.Instant?) -> (lines: [[UInt8]], late: [Waiter]) {
        var result: (lines: [[UInt8]], late: [Waiter]) = ([], [])
        for (id, request) in requests.sorted(by: { $0.key < $1.key }) where request.isKept {
            let isKnown = request.firstSent.map { firstSent in start.map { firstSent >= $0 } ?? false } ?? true
            if let line = request.line, isKnown {
                result.lines.append(line)
                requests[id]?.isKept = false
                requests[id]?.isRepeated = request.firstSent != nil
                requests[id]?.firstSent = request.firstSent ?? .now
            } else {
                result.late.append(request.waiter)
                requests[id] = nil
            }
        }
        return result
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
