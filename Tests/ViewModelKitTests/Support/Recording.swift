import Foundation
import ViewModelContract
import ViewModelKit

@testable import ViewModelTesting
@testable import ViewModelTranscript

/// A recording of clients without sockets, at virtual times.
final class Recording {
    private let session: SessionHarness
    private let redactor: Redactor
    private let begin: Duration
    private var clients: [Int: TestClient] = [:]
    private var lastClient = 0
    private var lastID = 0
    /// The transcript so far.
    private(set) var text: String

    /// Begins a recording at the session's time and date.
    init(_ session: SessionHarness) throws {
        self.session = session
        begin = session.now
        let document = try session.connectAnonymously().request("rpc.discover")
        let contract = Contract(ofDaemon: document)
        redactor = Redactor(contract: contract)
        let date = session.date.formatted(.iso8601)
        text = Transcript.Header(program: "kioskd 1", contract: contract.hash, date: date).text
    }

    /// Connects a client.
    func connect() -> Int {
        lastClient += 1
        let number = lastClient
        let client = session.connectAnonymously()
        clients[number] = client
        add(.opened, number)
        client.onText { [unowned self] in add(redactor.redact($0, isFromClient: false, on: number), number) }
        return number
    }

    /// Sends a request.
    func call(_ method: String, _ params: JSONValue? = nil, on client: Int) {
        lastID += 1
        var members: JSONObject = ["jsonrpc": "2.0", "id": .integer(lastID), "method": .string(method)]
        members["params"] = params
        send(JSONValue.object(members).description, on: client)
    }

    /// Sends a text.
    func send(_ text: String, on client: Int) {
        add(redactor.redact(Array(text.utf8), isFromClient: true, on: client), client)
        clients[client]?.send(text)
    }

    /// Ends a connection.
    func close(_ client: Int) {
        clients.removeValue(forKey: client)?.close()
        add(.closed, client)
    }

    private func add(_ event: Transcript.Event, _ connection: Int) {
        text += Transcript.Entry.text(time: session.now - begin, connection: connection, event: event)
    }
}
