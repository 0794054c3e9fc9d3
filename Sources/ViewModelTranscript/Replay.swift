package import ViewModelContract
import ViewModelProtocol

/// A replay of a transcript, without I/O.
///
/// It sends the clients' messages in the recorded order. A message waits for the replies that were recorded before it,
/// and for the pictures of that moment. Sessions get new names, so that sessions in use stay as they are.
///
/// After each reply, and before each message that no open request precedes, the picture of each binding must be one that
/// the recorded binding had between this moment and the next message that was sent with no request open.
///
/// Before the end of a connection, the recorded time passes, and then the daemon answers a request of the replay itself.
/// A picture that changes after the last reply is noticed in this way.
///
/// A driver calls ``next()`` and carries out the step. It hands over what the daemon sends.
package struct Replay {
    /// What the driver does next.
    package enum Step: Equatable {
        /// Opens the connection of this number.
        case open(Int)
        /// Sends a message on a connection.
        case send(String, on: Int)
        /// Closes a connection.
        case close(Int)
        /// Lets time pass in which nothing was recorded, and takes what the daemon sends.
        case pause(Duration)
        /// Waits for the next message of the daemon, at most as long as ``Replay/patience``, else calls ``expire()``.
        case wait
        /// Everything was replayed and is equal.
        case finished(Counts)
        /// Something differs. The replay is over.
        case differs(ReplayDifference)
    }

    /// The choices of the person who replays.
    package struct Options: Sendable {
        /// The outputs and methods that are not compared, such as `player.position`.
        package var ignored: Set<String>
        /// The secrets by their pseudonyms.
        package var secrets: [String: String]
        /// The time that a late message may take beyond its recorded time.
        package var timeout = Duration.seconds(10)
        /// The beginning of the sessions' names.
        package var sessions = "replay-" + String(UInt64.random(in: .min ... .max), radix: 36)

        package init(ignored: Set<String> = [], secrets: [String: String] = [:]) {
            self.ignored = ignored
            self.secrets = secrets
        }
    }

    /// What was replayed.
    package struct Counts: Equatable, Sendable {
        package var connections = 0
        package var messages = 0
        package var replies = 0
        package var pictures = 0
    }

    private let transcript: Transcript
    private let contractHash: String
    private let options: Options
    private var plan: ReplayPlan
    /// The number of the lines that were replayed.
    package private(set) var index = 0
    private var counts = Counts()
    private var comparison: ReplayComparison
    /// The secrets by their pseudonyms.
    private let secrets: [String: String]
    private var connections: [Int: Connection] = [:]
    /// The names of the replay's sessions, by the recorded ones.
    private var names: [String: String] = [:]
    /// The sessions that the replay has made.
    package private(set) var sessions: Set<String> = []
    private var lastCall = "the beginning"
    private var isExpired = false
    /// The line before which the pictures were last equal.
    private var checked: Int?
    /// The wait before the end of connections, while it lasts.
    private var ending: Ending?
    private var sentPseudonym: Int?

    /// An open connection.
    private struct Connection {
        var pictures = ReplayPictures()
        /// The requests without a reply, by id, with their text for reports.
        var calls: [ExactString: (method: String, text: String)] = [:]
        /// The replies that no recorded reply was compared with, by id.
        var replies: [ExactString: [JSONValue]] = [:]
    }

    /// The wait before a line at which connections end.
    private struct Ending {
        let index: Int
        var hasPaused = false
        /// The connections whose daemon is still to be asked.
        var unasked: [Int]
        /// The connections whose daemon was asked and has not answered.
        var asked: Set<Int> = []
    }

    /// Prepares a replay against a daemon with a contract.
    ///
    /// - Throws: ``TranscriptError`` for a recorded message of the daemon that does not fit those before it, as in a
    ///   transcript that was changed by hand.
    package init(_ transcript: Transcript, against contract: Contract, options: Options) throws(TranscriptError) {
        self.transcript = transcript
        contractHash = contract.hash
        self.options = options
        plan = try ReplayPlan(transcript.entries)
        // A daemon may have shown a secret in upper case.
        let upper = options.secrets.map { ($0.key.uppercased(), $0.value.uppercased()) }
        secrets = options.secrets.merging(upper) { _, upper in upper }
        comparison = ReplayComparison(contract, ignoring: options.ignored, opened: plan.opened, secrets: secrets)
    }

    /// The warnings before the replay, one line each.
    package var warnings: [String] {
        var warnings: [String] = []
        if transcript.header.contract.isEmpty {
            warnings.append("the transcript does not name the contract that it was recorded with")
        } else if transcript.header.contract != contractHash {
            warnings.append(
                "the transcript was recorded with another contract: \(transcript.header.contract), now \(contractHash)"
            )
        }
        return warnings + sessionWarnings
    }

    /// The warnings of sessions whose beginning the transcript does not have.
    package var sessionWarnings: [String] {
        plan.earlierSessions.map { "the session \($0) is older than the transcript; its state at that time is unknown" }
    }

    /// The recorded time of the line that the last step is about.
    package private(set) var time = Duration.zero

    /// The time for which a wait may last: the time that it took in the transcript, and the timeout.
    package var patience: Duration { recordedPause + options.timeout }

    /// The recorded time between the line before the next one and the next one.
    private var recordedPause: Duration {
        guard index > 0, index < transcript.entries.count else { return .zero }
        return transcript.entries[index].time - transcript.entries[index - 1].time
    }

    /// Ends the current wait, because nothing has come in time.
    package mutating func expire() {
        isExpired = true
    }

    // MARK: Steps

    /// Returns the next step.
    package mutating func next() -> Step {
        while index < transcript.entries.count {
            let entry = transcript.entries[index]
            time = entry.time
            switch entry.event {
            case .opened:
                connections[entry.connection] = Connection()
                counts.connections += 1
                index += 1
                return .open(entry.connection)
            case .closed:
                if let step = settle(entry, [entry.connection]) { return step }
                connections[entry.connection] = nil
                index += 1
                return .close(entry.connection)
            case .unreadable: index += 1
            case .sent(let text):
                guard let text = plan.accepted(text, at: index) else {
                    index += 1
                    continue
                }
                if plan.quiet.contains(index), let step = check(entry) { return step }
                index += 1
                counts.messages += 1
                return .send(prepare(text, entry), on: entry.connection)
            case .received:
                if let step = compareReplies(entry) { return step }
                index += 1
            }
        }
        let end = Transcript.Entry(line: transcript.entries.last?.line ?? 1, time: time, connection: 1, event: .closed)
        return settle(end, connections.keys.sorted()) ?? .finished(counts)
    }

    /// Compares the pictures before connections end, now and after the recorded time; returns nil if they are equal.
    private mutating func settle(_ entry: Transcript.Entry, _ connections: [Int]) -> Step? {
        // A daemon that has closed the connection does not answer.
        let isUnanswered = isExpired
        if let step = check(entry) { return step }
        var now = ending ?? Ending(index: index, unasked: connections)
        if now.index != index { now = Ending(index: index, unasked: connections) }
        defer { ending = now }
        if !now.hasPaused {
            now.hasPaused = true
            let pause = min(recordedPause, options.timeout)
            if pause > .zero { return .pause(pause) }
        }
        if let connection = now.unasked.popLast() {
            now.asked.insert(connection)
            // The request of the replay itself, which every daemon answers at once.
            let id = JSONValue.string(options.sessions)
            return .send(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(ViewModelList.name)"}"#, on: connection)
        }
        return now.asked.isEmpty || isUnanswered ? nil : .wait
    }

    /// Returns a wait, or the difference after a wait that was too long.
    private func waitOrDiffer(_ line: Int, _ call: String, _ members: [ReplayDifference.Member]) -> Step {
        guard isExpired else { return .wait }
        var hint: String?
        if !members.isEmpty, members.allSatisfy(\.isDate) {
            hint = "dates follow the clock; --ignore INSTANCE.MEMBER leaves a member out, and @Volatile declares it"
        } else if let sentPseudonym {
            hint = "line \(sentPseudonym) has a pseudonym in place of a secret; the daemon may have refused it for that"
        }
        return .differs(ReplayDifference(line: line, call: call, members: members, hint: hint))
    }

    /// Compares the recorded replies of a line; returns nil if they are equal or the line has none.
    private mutating func compareReplies(_ entry: Transcript.Entry) -> Step? {
        guard let recorded = plan.replies[index], !recorded.isEmpty else { return nil }
        let connection = connections[entry.connection] ?? Connection()
        for reply in recorded {
            let id = reply.idKey ?? .null
            let call = connection.calls[id]
            guard let now = connection.replies[id]?.first else {
                let missing = ReplayDifference.Member(path: "the reply", recorded: reply.description, now: nil)
                return waitOrDiffer(entry.line, call?.text ?? lastCall, [missing])
            }
            let differences = comparison.differences { $0.add(reply: reply, now, to: call?.method ?? "") }
            guard differences.isEmpty else {
                isExpired = true
                return waitOrDiffer(entry.line, call?.text ?? lastCall, differences)
            }
            if call?.method == SessionAttach.name { attached(reply, now) }
        }
        if let step = check(entry, recorded[0].idKey.flatMap { connection.calls[$0]?.text }) { return step }
        for reply in recorded {
            let id = reply.idKey ?? .null
            connections[entry.connection]?.replies[id]?.removeFirst()
            connections[entry.connection]?.calls[id] = nil
            counts.replies += 1
        }
        return nil
    }

    /// Compares the pictures of all connections; returns nil if they are equal.
    private mutating func check(_ entry: Transcript.Entry, _ call: String? = nil) -> Step? {
        var equal = 0
        for (number, connection) in connections.sorted(by: { $0.key < $1.key }) {
            for (binding, states) in plan.states(of: number, from: index) {
                guard let known = connection.pictures[binding] else { continue }
                guard let values = known else {
                    isExpired = true
                    let recorded = states.first { _ in true }.map { JSONValue.object($0).description }
                    let fault = "a frame that does not fit the picture before it"
                    let member = ReplayDifference.Member(path: binding.description, recorded: recorded, now: fault)
                    return waitOrDiffer(entry.line, call ?? lastCall, [member])
                }
                var first: [ReplayDifference.Member]?
                var isEqual = false
                for state in states {
                    let differences = comparison.differences { $0.add(picture: state, values, of: binding.instance) }
                    isEqual = differences.isEmpty
                    if isEqual { break }
                    first = first ?? differences
                }
                if isEqual {
                    equal += 1
                } else if let first {
                    return waitOrDiffer(entry.line, call ?? lastCall, first)
                }
            }
        }
        isExpired = false
        if index != checked { counts.pictures += equal }
        checked = index
        return nil
    }

    // MARK: Sending

    /// Returns a message as it is sent: with the names of the replay's sessions, its ids and the given secrets.
    private mutating func prepare(_ text: String, _ entry: Transcript.Entry) -> String {
        guard let message = JSONValue(text: text) else { return text }
        let entries = message.messages
        let sent = entries.map { prepare($0, entry) }
        for message in entries { note(message, on: entry.connection) }
        let value = message.arrayValue == nil ? sent[0] : .array(sent)
        // A message that stays the same is sent as it was written.
        return value == message ? text : value.description
    }

    private mutating func prepare(_ message: JSONValue, _ entry: Transcript.Entry) -> JSONValue {
        guard var members = message.objectValue, var params = members["params"] else { return message }
        let method = members["method"]?.stringValue
        params = params.mappingStrings { text in
            if let secret = secrets[text] { return secret }
            if text.hasPrefix(Pseudonyms.prefix), sentPseudonym == nil { sentPseudonym = entry.line }
            return comparison.ids[text] ?? text
        }
        if method == SessionAttach.name || method == SessionClose.name, var object = params.objectValue,
            let name = object["session"]?.stringValue, SessionName(name) != nil
        {
            object["session"] = .string(replayed(name))
            params = .object(object)
        }
        // The steps of the transcript are not those of the replay, which gets the whole picture instead.
        if method == ViewModelBind.name, var object = params.objectValue {
            object["since"] = nil
            params = .object(object)
        }
        members["params"] = params
        return .object(members)
    }

    private mutating func replayed(_ name: String) -> String {
        if let known = names[name] { return known }
        let new = "\(options.sessions)-\(names.count + 1)"
        names[name] = new
        return new
    }

    private mutating func note(_ message: JSONValue, on connection: Int) {
        guard let method = message["method"]?.stringValue else { return }
        let params = message["params"].map { " " + $0.description } ?? ""
        lastCall = "\(method)\(params.count > 200 ? params.prefix(200) + "…" : params) on connection \(connection)"
        guard let id = message.idKey else { return }
        connections[connection]?.calls[id] = (method, lastCall)
        connections[connection]?.pictures.sent(message)
    }

    // MARK: Receiving

    /// Takes a message of the daemon.
    package mutating func receive(_ text: [UInt8], on connection: Int) {
        guard let message = JSONValue(text: text), connections[connection] != nil else { return }
        for part in message.messages {
            _ = try? connections[connection]?.pictures.received(part, at: 0)
            guard part["method"] == nil else { continue }
            if part["id"]?.stringValue == options.sessions {
                ending?.asked.remove(connection)
                continue
            }
            connections[connection]?.replies[part.idKey ?? .null, default: []].append(part)
            if let session = part["result"]?["session"]?.stringValue, part["result"]?["epoch"] != nil {
                sessions.insert(session)
            }
        }
    }

    /// Notes the session that the daemon has named.
    private mutating func attached(_ recorded: JSONValue, _ now: JSONValue) {
        guard let old = recorded.attachedSession, let new = now.attachedSession else { return }
        names[old.name] = new.name
    }
}

extension JSONValue {
    /// Returns the value with each string replaced, names of members included.
    func mappingStrings(_ transform: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): .string(transform(text))
        case .array(let elements): .array(elements.map { $0.mappingStrings(transform) })
        case .object(let members):
            .object(JSONObject(members.map { (transform($0), $1.mappingStrings(transform)) }))
        default: self
        }
    }
}
