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
    /// The pictures by connection and binding.
    private var timelines: [Int: [BindingKey: ReplayTimeline]] = [:]
    /// The connection of the newest binding of each kind, which another connection may resume.
    ///
    /// The key is the binding, the epoch, and the outputs and windows.
    private var newest: [[String]: Int] = [:]
    /// The end of the window of each entry: the next message that was sent with no request open.
    private var windowEnds: [Int] = []
    /// The messages that were sent with no request open.
    private(set) var quiet: Set<Int> = []
    /// The ends of connections.
    private var closings: Set<Int> = []
    /// The ids of the requests that the daemon has refused because it was stopping, by the entries of the requests.
    private var refused: [Int: Set<ExactString>] = [:]

    /// Reads the entries of a transcript.
    ///
    /// - Throws: ``TranscriptError`` for a message of the daemon that does not fit those before it.
    init(_ entries: [Transcript.Entry]) throws(TranscriptError) {
        struct Connection {
            var pictures = ReplayPictures()
            /// The messages without a reply, by id.
            var open: [ExactString: [(method: String?, entry: Int)]] = [:]
            /// The ids of the requests that will be answered.
            var awaited: Set<ExactString> = []
        }
        var connections: [Int: Connection] = [:]
        var known: Set<String> = []
        var isStopping = false
        for (index, entry) in entries.enumerated() {
            let connection = entry.connection
            switch entry.event {
            case .opened: connections[connection] = Connection()
            case .closed:
                closings.insert(index)
                connections[connection] = nil
            case .unreadable: break
            case .sent(let text):
                if connections.values.allSatisfy(\.awaited.isEmpty) { quiet.insert(index) }
                for message in Self.parts(text) {
                    guard let id = message.idKey else { continue }
                    connections[connection, default: Connection()].pictures.sent(message)
                    let method = message["method"]?.stringValue
                    connections[connection]?.open[id, default: []].append((method, index))
                    if method != nil { connections[connection]?.awaited.insert(id) }
                    if method == ViewModelOpen.name, let instance = message["params"]?["id"]?.stringValue,
                        let type = message["params"]?["type"]?.stringValue
                    {
                        opened[instance, default: []].insert(type)
                    }
                }
            case .received(let text):
                for message in Self.parts(text) {
                    let changes = try connections[connection]?.pictures.received(message, at: entry.line) {
                        picture(of: $0, $1)
                    }
                    for (binding, change) in changes ?? [] { note(change, of: binding, connection, at: index) }
                    if let method = message["method"]?.stringValue {
                        let reason = message["params"]?["reason"]?.stringValue
                        if method == SessionClosed.name, reason == SessionClosed.Reason.stopping.rawValue {
                            isStopping = true
                        }
                        continue
                    }
                    let id = message.idKey ?? .null
                    var open = connections[connection]?.open[id] ?? []
                    let request = open.isEmpty ? nil : open.removeFirst()
                    connections[connection]?.open[id] = open.isEmpty ? nil : open
                    connections[connection]?.awaited.remove(id)
                    // An error without an id is for a message that is no request.
                    if request == nil, id != .null {
                        let reason = "no request before it has the id \(id.string)"
                        throw TranscriptError(line: entry.line, reason: reason)
                    }
                    if let request, message["error"]?["code"]?.intValue == ErrorCode.shuttingDown.rawValue {
                        refused[request.entry, default: []].insert(id)
                        continue
                    }
                    if request?.method == SessionAttach.name, let session = message.attachedSession,
                        known.insert(session.name).inserted, !session.isNew
                    {
                        earlierSessions.append(session.name)
                    }
                    // The transcript does not have a message that is no JSON or too large.
                    let code = message["error"]?["code"]?.intValue
                    let isForUnreadable =
                        message["id"]?.isNull == true
                        && [ErrorCode.parseError.rawValue, ErrorCode.messageTooLarge.rawValue].contains(code)
                    if !isForUnreadable { replies[index, default: []].append(message) }
                }
            }
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

    /// Returns the part of a client's message that the daemon has accepted, or nil for none.
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
    ///
    /// Calls must come in the order of the moments.
    mutating func states(of connection: Int, from index: Int) -> [(binding: BindingKey, states: ReplayTimeline.States)]
    {
        // Before a message or the end of a connection, the pictures are those of the entry before it.
        let isBefore = quiet.contains(index) || closings.contains(index) || index >= windowEnds.count
        let start = isBefore ? index - 1 : index
        let end = quiet.contains(index) || index >= windowEnds.count ? index : windowEnds[index]
        return timelines[connection, default: [:]].keys.sorted().compactMap { binding in
            timelines[connection]?[binding]?.states(at: start, before: end).map { (binding, $0) }
        }
    }

    private mutating func note(
        _ change: ReplayPictures.Change,
        of binding: BindingKey,
        _ connection: Int,
        at index: Int
    ) {
        timelines[connection, default: [:]][binding, default: ReplayTimeline()].append(change, at: index)
        guard case .picture(let picture, of: let members) = change else { return }
        newest[[binding.description, picture.epoch, members.description]] = connection
    }

    /// Returns the picture that a client resumes, as an earlier binding has shown it.
    private func picture(of key: BindingKey, _ binding: ReplayPictures.Binding) -> Picture? {
        guard let since = binding.since else { return nil }
        return newest[[key.description, since.epoch, binding.members.description]].flatMap {
            timelines[$0]?[key]?.picture(of: binding.members, at: since)
        }
    }

    private static func parts(_ text: String) -> [JSONValue] {
        JSONValue(text: text)?.messages ?? []
    }
}
