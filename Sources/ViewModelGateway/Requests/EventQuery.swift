import NIOHTTP1
import ViewModelProtocol

/// The bindings that the query of `/events` describes.
extension ViewModelBind.Params {
    static let queryNames: Set<String> = ["id", "outputs", "window", "minInterval", "patches"]

    /// Reads a query: each `id` begins a binding, to which the members up to the next `id` belong.
    ///
    /// The bindings resume from the header `Last-Event-ID`, unless it is no id of this stream.
    ///
    /// - Throws: ``RequestRefusal`` with status 400.
    static func bindings(of target: RequestTarget, lastEventID: String?) throws(RequestRefusal) -> [Self] {
        var bindings = target.query.filter { $0.name == "id" }.map { Self(id: $0.value) }
        guard !bindings.isEmpty else { throw RequestRefusal(.badRequest, "id names the instance") }
        guard Set(bindings.map(\.id)).count == bindings.count else {
            throw RequestRefusal(.badRequest, "an id stands twice")
        }
        var next = 0
        for (name, value) in target.query {
            let index = max(0, next - 1)
            switch name {
            case "id": next += 1
            case "outputs": bindings[index].outputs = value.split(separator: ",").map(String.init)
            case "window":
                guard let (output, range) = window(value) else {
                    throw RequestRefusal(.badRequest, "window is OUTPUT=OFFSET,LIMIT")
                }
                bindings[index].windows = (bindings[index].windows ?? [:]).merging([output: range]) { $1 }
            case "minInterval":
                guard let interval = Int(value) else { throw RequestRefusal(.badRequest, "minInterval is a number") }
                bindings[index].minInterval = interval
            case "patches":
                guard let patches = Bool(value) else { throw RequestRefusal(.badRequest, "patches is true or false") }
                bindings[index].patches = patches
            default: break
            }
        }
        let since = lastEventID.map(steps) ?? []
        if since.count == bindings.count { for index in since.indices { bindings[index].since = since[index] } }
        return bindings
    }

    private static func window(_ text: String) -> (String, Window)? {
        let parts = text.split(separator: "=", maxSplits: 1)
        let numbers = (parts.count == 2 ? parts[1] : "").split(separator: ",").map { Int($0) }
        guard numbers.count == 2, let offset = numbers[0], let limit = numbers[1], offset >= 0, limit >= 0 else {
            return nil
        }
        return (String(parts[0]), Window(offset: offset, limit: limit))
    }

    /// Returns the steps of an event's id, which is `EPOCH:STEP,STEP`.
    ///
    /// The step of a binding without a picture is empty.
    private static func steps(of text: String) -> [Since?] {
        guard let colon = text.lastIndex(of: ":") else { return [] }
        let steps = text[text.index(after: colon)...].split(separator: ",", omittingEmptySubsequences: false)
        return steps.map { Int($0).flatMap { $0 < 0 ? nil : Since(epoch: String(text[..<colon]), seq: $0) } }
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
        guard let text = target["session"] else { return }
        guard let session = SessionName(text) else {
            throw RequestRefusal(.badRequest, "session is no name of a session")
        }
        let linger = target["linger"].map { Int($0) }
        if case .some(.none) = linger { throw RequestRefusal(.badRequest, "linger is a number of seconds") }
        add(SessionAttach.self, SessionAttach.Params(session: session, linger: linger ?? nil))
    }
}
