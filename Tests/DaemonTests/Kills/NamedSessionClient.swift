import TestSupport
import ViewModelProtocol

/// A client in a named session of its own, which records the replies that it got.
///
/// Isolation: one thread at a time. What it does ends with ``Gone`` when the daemon is no more.
final class NamedSessionClient {
    /// The daemon has ended.
    struct Gone: Error {}

    /// The daemon refused something that it must not refuse.
    struct Refused: Error {
        let method: String
        let answer: JSONValue
    }

    private let connection: RawConnection
    private var lastID = 0
    private var answers: [Int: JSONValue] = [:]

    /// Attaches to a session.
    init(_ socket: String, session: String) throws {
        do {
            connection = try RawConnection(socket)
        } catch {
            throw Gone()
        }
        try call("session.attach", #"{"session": "\#(session)"}"#)
    }

    /// Sends a request.
    func begin(_ method: String, _ params: String = "{}") -> Int {
        lastID += 1
        connection.sendLine(#"{"jsonrpc":"2.0","id":\#(lastID),"method":"\#(method)","params":\#(params)}"#)
        return lastID
    }

    /// The answer to a request, whatever is answered before it.
    func answer(to id: Int) throws -> JSONValue {
        while true {
            if let answer = answers.removeValue(forKey: id) { return answer }
            try take()
        }
    }

    /// Sends a request, and gives its result.
    @discardableResult
    func call(_ method: String, _ params: String = "{}") throws -> JSONValue {
        let answer = try answer(to: begin(method, params))
        guard let result = answer["result"] else { throw Refused(method: method, answer: answer) }
        return result
    }

    /// Reads an output.
    func read(_ instance: String, _ output: String) throws -> JSONValue {
        let result = try call("viewModel.read", #"{"id": "\#(instance)", "outputs": ["\#(output)"]}"#)
        return result["values"]?[output] ?? .null
    }

    /// Reads until the daemon is no more.
    func stayToTheEnd() throws {
        while true { try take() }
    }

    private func take() throws {
        // A line that was cut off by the daemon's end tells nothing.
        guard let line = try connection.line(), let message = JSONValue(text: line) else { throw Gone() }
        if message["method"] == nil, let id = message["id"]?.intValue { answers[id] = message }
    }
}
