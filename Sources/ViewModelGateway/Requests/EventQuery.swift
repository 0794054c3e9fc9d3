import NIOHTTP1
import ViewModelProtocol

/// The binding that the query of `/events` describes.
extension ViewModelBind.Params {
    static let queryNames: Set<String> = ["id", "outputs", "window", "minInterval", "patches"]

    /// Reads a query; the stream resumes from the header `Last-Event-ID`, unless it is no id of this stream.
    ///
    /// - Throws: ``RequestRefusal`` with status 400.
    init(query target: RequestTarget, lastEventID: String?) throws(RequestRefusal) {
        func value(_ name: String) -> String? { target.query.first { $0.name == name }?.value }
        guard let id = value("id") else { throw RequestRefusal(.badRequest, "id names the instance") }
        var params = ViewModelBind.Params(id: id)
        if let outputs = value("outputs") { params.outputs = outputs.split(separator: ",").map(String.init) }
        for window in target.query where window.name == "window" {
            guard let (output, range) = Self.window(window.value) else {
                throw RequestRefusal(.badRequest, "window is OUTPUT=OFFSET,LIMIT")
            }
            params.windows = (params.windows ?? [:]).merging([output: range]) { $1 }
        }
        if let text = value("minInterval") {
            guard let interval = Int(text) else { throw RequestRefusal(.badRequest, "minInterval is a number") }
            params.minInterval = interval
        }
        if let text = value("patches") {
            guard let patches = Bool(text) else { throw RequestRefusal(.badRequest, "patches is true or false") }
            params.patches = patches
        }
        params.since = lastEventID.flatMap(Self.since)
        self = params
    }

    private static func window(_ text: String) -> (String, Window)? {
        let parts = text.split(separator: "=", maxSplits: 1)
        let numbers = (parts.count == 2 ? parts[1] : "").split(separator: ",").map { Int($0) }
        guard numbers.count == 2, let offset = numbers[0], let limit = numbers[1], offset >= 0, limit >= 0 else {
            return nil
        }
        return (String(parts[0]), Window(offset: offset, limit: limit))
    }

    /// Returns the epoch and the step of an event's id.
    private static func since(_ text: String) -> Since? {
        guard let colon = text.lastIndex(of: ":"), let step = Int(text[text.index(after: colon)...]), step >= 0 else {
            return nil
        }
        return Since(epoch: String(text[..<colon]), seq: step)
    }
}

extension SetupRequests {
    /// Adds a request for the session that a query names.
    ///
    /// - Throws: ``RequestRefusal`` with status 400 for a malformed query.
    mutating func attach(_ target: RequestTarget, allowed: Set<String>) throws(RequestRefusal) {
        guard !target.hasMalformedQuery else { throw RequestRefusal(.badRequest, "the query is malformed") }
        if let unknown = target.query.first(where: { !allowed.union(["session", "linger"]).contains($0.name) }) {
            throw RequestRefusal(.badRequest, "\(unknown.name) is no member of the query")
        }
        func value(_ name: String) -> String? { target.query.first { $0.name == name }?.value }
        guard let text = value("session") else { return }
        guard let session = SessionName(text) else {
            throw RequestRefusal(.badRequest, "session is no name of a session")
        }
        let linger = value("linger").map { Int($0) }
        if case .some(.none) = linger { throw RequestRefusal(.badRequest, "linger is a number of seconds") }
        add(SessionAttach.self, SessionAttach.Params(session: session, linger: linger ?? nil))
    }
}
