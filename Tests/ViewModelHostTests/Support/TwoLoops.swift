import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

/// A session on one loop, clients of it on that loop and on another; both are pumped by hand.
final class TwoLoops {
    let daemon: Daemon
    let home = ManualLoop()
    let away = ManualLoop()
    /// A client on the session's loop.
    let local: TestClient
    /// A client on the other loop, attached to the same session.
    let remote: TestClient

    init(savesSessions: Bool = false, _ configure: (inout HostConfiguration) -> Void = { _ in }) throws {
        daemon = try Daemon(loop: home, savesSessions: savesSessions, configure)
        local = try daemon.connect(to: "desk")
        remote = TestClient(host: daemon.harness.host, loop: away, uid: 1000)
        try request(remote, "session.attach", ["session": "desk"])
    }

    /// A client on the other loop that has a session of its own there.
    func connectAway() -> TestClient { TestClient(host: daemon.harness.host, loop: away, uid: 1000) }

    /// Queues a client's message on the home loop, behind what it has to do already.
    func queueAtHome(_ message: String, from client: TestClient) {
        let writer = home.run { LoopConfined(client, on: home) }
        home.execute { writer.value.post(message) }
    }

    /// Runs both loops until nothing is left to do.
    func runUntilIdle() {
        while !home.isIdle || !away.isIdle {
            home.run()
            away.run()
        }
    }

    /// Sends a request and gives its result.
    @discardableResult
    func request(_ client: TestClient, _ method: String, _ params: JSONValue? = nil) throws -> JSONValue {
        let request = client.begin(method, params)
        runUntilIdle()
        guard let answer = request.answer else { throw Unanswered(method: method) }
        return try answer.get()
    }

    /// The value of the board.
    func value(_ client: TestClient) throws -> JSONValue? {
        try request(client, "viewModel.read", ["id": "board", "outputs": ["value"]])["values"]?["value"]
    }

    /// Binds and gives the picture.
    func bind(_ client: TestClient, _ outputs: [String]? = nil) throws {
        var params: JSONObject = ["id": "board"]
        params["outputs"] = outputs.map { .array($0.map { .string($0) }) }
        try request(client, "viewModel.bind", .object(params))
    }
}

/// A request that got no answer although nothing was left to do.
struct Unanswered: Error {
    let method: String
}
