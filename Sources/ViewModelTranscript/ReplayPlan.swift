import ViewModelProtocol

/// What a transcript says about each of its moments.
///
/// A moment is the index of an entry.
struct ReplayPlan {
    /// The replies by their entries, without those to messages that cannot be replayed.
    private(set) var replies: [Int: [JSONValue]] = [:]
    /// The sessions that were older than the transcript.
    private(set) var earlierSessions: [String] = []
    /// The pictures of each binding, by connection and instance, with the entries at which they came; nil after the
    /// end of a binding or for an unknown picture.
    private var timelines: [Int: [String: [(entry: Int, values: [String: JSONValue]?)]]] = [:]
    /// The end of the window of each entry: the next message that was sent with no request open.
    private var windowEnds: [Int] = []
    /// The messages that were sent with no request open.
    private var quiet: Set<Int> = []
    /// The ends of connections.
    private var closings: Set<Int> = []

    init(_ entries: [Transcript.Entry]) {
        var pictures: [Int: ReplayPictures] = [:]
        var history: [[Picture]] = []
        var open: [Int: [String: String]] = [:]
        var known: Set<String> = []
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
                    guard let id = message["id"]?.description, let method = message["method"]?.stringValue else {
                        continue
                    }
                    open[connection, default: [:]][id] = method
                }
            case .received(let text):
                for message in Self.parts(text) {
                    pictures[connection]?.received(message) { resumed in
                        history.joined().last { $0.id == resumed.id && $0.epoch == resumed.epoch }
                    }
                    guard message["method"] == nil else { continue }
                    let id = message["id"]?.description ?? "null"
                    let method = open[connection]?.removeValue(forKey: id)
                    if method == SessionAttach.name, let result = message["result"],
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
        var end = entries.count
        windowEnds = entries.indices.map { _ in 0 }
        for index in entries.indices.reversed() {
            windowEnds[index] = end
            if quiet.contains(index) { end = index }
        }
    }

    /// The number of the newest messages whose pictures a resumed binding may continue.
    private static let maximumHistory = 1000

    /// Returns whether no request was open before a message was sent.
    func isQuiet(before index: Int) -> Bool { quiet.contains(index) }

    /// Returns the pictures that each binding of a connection had at a moment and later in its window.
    func states(of connection: Int, from index: Int) -> [(instance: String, states: [[String: JSONValue]])] {
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

    private mutating func note(_ values: [String: [String: JSONValue]?], of connection: Int, at index: Int) {
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
