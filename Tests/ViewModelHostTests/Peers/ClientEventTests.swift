import CoreMetrics
import Logging
import Testing
import ViewModelHost
import ViewModelMetrics
import ViewModelProtocol
import ViewModelTesting

@testable import Scenarios

/// What is logged and counted of clients.
@Suite struct `What happens to a client` {
    private let log = LogRecorder(from: .trace)
    private let registry = MetricsRegistry()
    private let loop = ManualLoop(keepsThread: true)
    private let work = Effect<Int, Int>()
    private let client: TestClient
    private let other: TestClient

    init() throws {
        var configuration = HostConfiguration()
        configuration.limits.events = 10
        configuration.limits.batch = 2
        let (catalog, logger) = (try Board.catalog(work), log.logger)
        let host = withMetricsFactory(registry) {
            Host(
                catalog: catalog,
                configuration: configuration,
                version: "0",
                logger: logger,
                storage: { StorageHealth(path: "", bytes: 0, healthy: true) }
            )
        }
        client = TestClient(host: host, loop: loop, uid: 1000)
        other = TestClient(host: host, loop: loop, uid: 1001)
        try client.request("session.attach", ["session": "desk", "client": ["name": "ticker", "version": "1"]])
    }

    private func entries(_ message: String) -> [LogRecorder.Entry] { log.entries.filter { $0.message == message } }

    private let who = ["uid": "1000", "pid": "1", "client": "ticker"]

    private func failing() throws {
        #expect(throws: ProtocolError.self) { try client.request("board.fail") }
    }

    @Test func `a failed action is named with its caller, without its details`() throws {
        try failing()
        let metadata = who.merging(["method": "board.fail", "code": "-32000", "error": "broken"]) { $1 }
        #expect(entries("An action failed").map(\.metadata) == [metadata])
        #expect(entries("An action failed").map(\.level) == [.info])
    }

    @Test func `an action that fails later is named, too, also when nobody waits for it`() async throws {
        let request = client.begin("board.work", [1])
        client.notify("board.parallel", [2])
        for _ in 0..<2 { try await work.nextCall().fail(with: Unwell()) }
        while request.answer == nil || !registry.text().contains("viewmodeld_errors_total{code=\"-32603\"} 2\n") {
            try await loop.waitForWork()
            loop.run()
        }
        let named = entries("A request ended with an unexpected error")
        #expect(named.map(\.metadata["client"]) == ["ticker"] && named.first?.metadata["incident"] != nil)
        client.close()
        #expect(entries("Events of a connection were not logged one by one").map(\.metadata["count"]) == ["1"])
    }

    @Test func `a limit is named, nonsense is for those who look closely`() throws {
        client.send(#"[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"},{"jsonrpc":"2.0","method":"c"}]"#)
        client.send("{")
        client.send(#"{"jsonrpc":"2.0","method":1}"#)
        client.send(#"{"jsonrpc":"2.0","id":1,"result":2}"#)
        #expect(entries("A limit was exceeded").map(\.level) == [.notice])
        #expect(entries("A limit was exceeded").first?.metadata["limit"] == "limits.batch")
        #expect(entries("A message was not valid JSON").map(\.level) == [.debug])
        #expect(entries("A request was refused").map(\.metadata["code"]) == ["-32600"])
        #expect(entries("A reply matched no request").map(\.level) == [.info])
        #expect(log.entries.allSatisfy { $0.metadata["uid"] == "1000" && $0.metadata["client"] == "ticker" })
    }

    @Test func `a flood is one line every few seconds, and nothing is left out of the counts`() throws {
        for _ in 0..<100 { try failing() }
        #expect(entries("An action failed").map(\.metadata["repeated"]) == [nil])
        loop.advance(by: .seconds(5))
        for _ in 0..<10 { try failing() }
        #expect(entries("An action failed").map(\.metadata["repeated"]) == [nil, "99"])
        client.close()
        let rest = entries("Events of a connection were not logged one by one")
        #expect(rest.map(\.metadata) == [who.merging(["event": "An action failed", "count": "9"]) { $1 }])
        #expect(registry.text().contains("viewmodeld_errors_total{code=\"-32000\"} 110\n"))
    }

    @Test func `one client's flood hides nothing of another's`() throws {
        for _ in 0..<100 { try failing() }
        #expect(throws: ProtocolError.self) { try other.request("board.fail") }
        #expect(entries("An action failed").map(\.metadata["uid"]) == ["1000", "1001"])
    }

    @Test func `dropped events are named and counted`() throws {
        try client.bind("board")
        client.acceptsFrames = false
        for number in 0..<15 { try client.request("board.set", [.integer(number)]) }
        client.acceptsFrames = true
        #expect(client.frames.last?.lost == 5)
        let metadata = who.merging(["instance": "board", "lost": "5"]) { $1 }
        #expect(log.entries.filter { $0.metadata["lost"] != nil }.map(\.metadata) == [metadata])
        #expect(registry.text().contains("viewmodeld_events_lost_total 5\n"))
    }

    @Test func `params, values and results are never logged`() throws {
        let secret = "hunter2"
        let calls: [(String, JSONValue)] = [
            ("board.set", [.string(secret)]), ("board.set", ["value": .string(secret)]),
            ("board.ring", [.string(secret)]), ("board.fail", [.string(secret)]),
            ("viewModel.open", ["type": "greeter", "arguments": ["hunter2": 1]]),
            ("viewModel.read", ["id": .string(secret)]), ("session.attach", ["session": .string("/" + secret)]),
        ]
        for (method, params) in calls {
            _ = client.begin(method, params)
            client.notify(method, params)
            loop.advance(by: .seconds(5))
        }
        client.send("{\"\(secret)")
        client.close()
        #expect(log.entries.count > 5)
        #expect(log.entries.allSatisfy { !"\($0)".contains(secret) }, "\(log.entries)")
    }
}

private struct Unwell: Error {}

@Suite struct LogPaceTests {
    @Test func `one event of a kind goes through, the others are counted`() {
        var pace = LogRateLimiter<String>()
        #expect(pace.admit("a", at: .seconds(1)) == 0)
        #expect(pace.admit("a", at: .seconds(2)) == nil)
        #expect(pace.admit("b", at: .seconds(2)) == 0)
        #expect(pace.admit("a", at: .milliseconds(5999)) == nil)
        #expect(pace.admit("a", at: .seconds(6)) == 2)
        #expect(pace.admit("a", at: .seconds(7)) == nil)
        #expect(pace.removeSuppressed().map(\.kind) == ["a"])
        #expect(pace.removeSuppressed().isEmpty)
    }

    @Test func `a burst goes through, a line counts all its events, and a full limiter forgets`() {
        var pace = LogRateLimiter<String>(burst: 2, capacity: 2)
        let first = (0..<3).map { _ in pace.admit("a", count: 5, at: .seconds(1)) }
        #expect(first == [0, 0, nil])
        #expect(pace.admit("a", at: .seconds(6)) == 5)
        #expect(pace.admit("b", at: .seconds(6)) == 0)
        #expect(pace.admit("c", at: .seconds(7)) == 0)
        let afresh = (0..<3).map { _ in pace.admit("a", at: .seconds(7)) }
        #expect(afresh == [0, 0, nil])
    }
}
