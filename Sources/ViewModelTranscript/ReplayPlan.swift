import ViewModelProtocol

/// What a transcript says about each of its moments.
///
/// A moment is the index of an entry.
struct ReplayPlan {
    /// The replies by their entries, without those to messages that cannot be replayed.
    private(set) var replies: [Int: [JSONValue]] = [:]
    /// The types of the instances that clients have opened, by the ids that they chose.
    private(set) var opened: [String: Set<String>] = [:]
    /// The sessions that were older than the transcript.
    private(set) var earlierSessions: [String] = []
    /// The pictures of each binding, by connection and instance, with the entries at which they came; nil after the
    /// end of a binding or for an unknown picture.
    private var timelines: [Int: [String: [(entry: Int, values: JSONObject?)]]] = [:]
    /// The end of the window of each entry: the next message that was sent with no request open.
    private var windowEnds: [Int] = []
    /// The messages that were sent with no request open.
    private var quiet: Set<Int> = []
    /// The ends of connections.
    private var closings: Set<Int> = []
    /// The ids of the requests that the daemon has refused because it was stopping, by the entries of the requests.
    private var refused: [Int: Set<ExactString>] = [:]

    init(_ entries: [Transcript.Entry]) {
        var pictures: [Int: ReplayPictures] = [:]
        var history: [[Picture]] = []
        var open: [Int: [ExactString: (method: String, entry: Int)]] = [:]
        var known: Set<String> = []
        var isStopping = false
        for (index, entry) in entries.enumerated() {
            let connection = entry.connection
            switch entry.event {
            case .opened: pictures[connection] = ReplayPictures()
            case .closed:
                closings.insert(index)
                pictures[connection] = nil
                open[connection] = nil
            case .unreadable: break
            case .sent(let text):
                if open.values.allSatisfy(\.isEmpty) { quiet.insert(index) }
                for message in Self.parts(text) {
                    pictures[connection]?.sent(message)
                    guard let id = message.idKey, let method = message["method"]?.stringValue else {
                        continue
                    }
                    open[connection, default: [:]][id] = (method, index)
                    if method == ViewModelOpen.name, let instance = message["params"]?["id"]?.stringValue,
                        let type = message["params"]?["type"]?.stringValue
                    {
                        opened[instance, default: []].insert(type)
                    }
                }
            case .received(let text):
                for message in Self.parts(text) {
                    pictures[connection]?.received(message) { resumed in
                        history.joined().last { $0.id == resumed.id && $0.epoch == resumed.epoch }
                    }
                    if let method = message["method"]?.stringValue {
                        let reason = message["params"]?["reason"]?.stringValue
                        if method == SessionClosed.name, reason == SessionClosed.Reason.stopping.rawValue {
                            isStopping = true
                        }
                        continue
                    }
                    let id = message.idKey ?? .null
                    let request = open[connection]?.removeValue(forKey: id)
                    if let request, message["error"]?["code"]?.intValue == ErrorCode.shuttingDown.rawValue {
                        refused[request.entry, default: []].insert(id)
                        continue
                    }
                    if request?.method == SessionAttach.name, let result = message["result"],
                        let name = result["session"]?.stringValue, known.insert(name).inserted
                    {
                        let isNew = result["created"]?.boolValue == true && result["restored"]?.boolValue != true
                        if !isNew { earlierSessions.append(name) }
                    }
                    if !Self.isForUnreadable(message) { replies[index, default: []].append(message) }
                }
                history.append(Array((pictures[connection]?.known ?? [:]).values))
                if history.count > Self.maximumHistory { history.removeFirst() }
            }
            note(pictures[connection]?.values ?? [:], of: connection, at: index)
        }
        if isStopping || !refused.isEmpty { dropCancellations(entries) }
        var end = entries.count
        windowEnds = entries.indices.map { _ in 0 }
        for index in entries.indices.reversed() {
            windowEnds[index] = end
            if quiet.contains(index) { end = index }
        }
    }

    /// Drops the replies to the actions that the daemon has cancelled because it was stopping.
    private mutating func dropCancellations(_ entries: [Transcript.Entry]) {
        let last = entries.indices.last { index in
            if case .sent(let text) = entries[index].event { accepted(text, at: index) != nil } else { false }
        }
        for index in entries.indices where index > last ?? 0 {
            replies[index]?.removeAll { $0["error"]?["code"]?.intValue == ErrorCode.cancelled.rawValue }
        }
    }

    /// The number of the newest messages whose pictures a resumed binding may continue.
    private static let maximumHistory = 1000

    /// Returns whether no request was open before a message was sent.
    func isQuiet(before index: Int) -> Bool { quiet.contains(index) }

    /// Returns what of a client's message the daemon has accepted, or nil if that is nothing.
    ///
    /// A daemon that stops refuses requests and ignores the rest. The daemon of the replay does not stop.
    func accepted(_ text: String, at index: Int) -> String? {
        guard let stop = refused.keys.min(), index >= stop else { return text }
        let isBatch = JSONValue(text: text)?.arrayValue != nil
        let parts = Self.parts(text)
        let accepted = parts.filter { part in
            guard let id = part.idKey else { return part["method"]?.stringValue == CancelRequest.name }
            return refused[index]?.contains(id) != true
        }
        if accepted.count == parts.count { return text }
        return accepted.isEmpty ? nil : isBatch ? JSONValue.array(accepted).description : accepted[0].description
    }

    /// Returns the pictures that each binding of a connection had at a moment and later in its window.
    func states(of connection: Int, from index: Int) -> [(instance: String, states: [JSONObject])] {
        // Before a message or the end of a connection, the pictures are those of the entry before it.
        let isBefore = quiet.contains(index) || closings.contains(index) || index >= windowEnds.count
        let start = isBefore ? index - 1 : index
        let end = quiet.contains(index) || index >= windowEnds.count ? index : windowEnds[index]
        return (timelines[connection] ?? [:]).sorted { $0.key < $1.key }.compactMap { instance, changes in
            guard let current = changes.lastIndex(where: { $0.entry <= start }) else { return nil }
            let window = changes[current...].prefix { ($0.entry <= start || $0.entry < end) && $0.values != nil }
            return window.isEmpty ? nil : (instance, window.compactMap(\.values))
        }
    }

    private mutating func note(_ values: [String: JSONObject?], of connection: Int, at index: Int) {
        let before = timelines[connection] ?? [:]
        for instance in Set(before.keys).union(values.keys) {
            let new = values[instance] ?? nil
            if let last = before[instance]?.last, last.values == new { continue }
            timelines[connection, default: [:]][instance, default: []].append((index, new))
        }
    }

    private static func parts(_ text: String) -> [JSONValue] {
        guard let value = JSONValue(text: text) else { return [] }
        return value.arrayValue ?? [value]
    }

    /// Returns whether a reply is to a message that is no JSON or too large, which the transcript does not have.
    private static func isForUnreadable(_ reply: JSONValue) -> Bool {
        guard reply["id"]?.isNull == true, let code = reply["error"]?["code"]?.intValue else { return false }
        return code == ErrorCode.parseError.rawValue || code == ErrorCode.messageTooLarge.rawValue
    }
}
