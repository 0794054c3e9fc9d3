import Testing
import ViewModelKit
import ViewModelTesting

/// Finds what is typed, on a server, and sends it away.
@ViewModel
private final class Finder {
    @Field var query = ""
    @Field var isOnline = false
    @Output private(set) var found: [String] = []
    @Output private(set) var sent: [String] = []
    @Output private(set) var changes = 0
    @Output var isFinding: Bool { $find.isExecuting.value }
    @Output var problem: String? { $find.failure.value?.error }

    /// A type that only the class knows.
    private struct Letter { let text: String }

    private let server: Effect<String, [String]>

    init(server: Effect<String, [String]>) { self.server = server }

    @Action(.latest, enabled: \Finder.isOnline, runs: [.atOpen, .onChange(of: \Finder.key)])
    private func find() async throws {
        guard query != "?" else { throw ActionFailure("unclear") }
        guard query != "!" else { throw Unexpected() }
        found = try await server(query)
    }

    private var key: String { isOnline ? query : "" }

    @Action(runs: .onChange(of: \Finder.query, after: .seconds(1))) private func countChange() { changes += 1 }

    @Action(.queued) private func deliver(_ letter: Letter, times: Int) async throws {
        sent += try await server(letter.text) + ["\(times)"]
    }

    /// Makes two requests at once.
    @Action func pair() async throws {
        let (server, query) = (server, query)
        async let first = server(query + "1")
        async let second = server(query + "2")
        found = try await first + second
    }

    @Input func send(_ text: String) { $deliver.run(.init(letter: Letter(text: text), times: 2)) }
}

private struct Unexpected: Error {}

@Suite struct `A private action` {
    private let server = Effect<String, [String]>()
    private let harness: Harness<Finder>

    init() throws {
        harness = try Harness(Finder.self, providing: server)
    }

    @Test(.timeLimit(.minutes(1))) func `makes two requests at once from constants`() async throws {
        let call = harness.start(\.actions.pair)
        for _ in 1...2 {
            let request = try await server.nextCall()
            request.complete(with: [request.input])
        }
        #expect(try await call.answered() == .result(.null))
        #expect(try harness.read(\.outputs.found) == ["1", "2"])
    }

    @Test func `is not in the contract`() throws {
        let contract = try harness.client.request("rpc.discover")["x-viewModels"]?["finder"]
        #expect(contract?["actions"]?.objectValue?.map(\.key) == ["pair"])
        #expect(throws: (any Error).self) { try harness.client.request("finder.find") }
        let outputs = try harness.client.read("finder").values.map(\.key)
        #expect(
            outputs == ["query", "isOnline", "found", "sent", "changes", "isFinding", "problem"] + [
                "pair.enabled", "pair.executing", "pair.progress",
            ]
        )
    }

    @Test func `runs with the params that the ViewModel gives it`() throws {
        try harness.send(\.inputs.send, "hello")
        try harness.send(\.inputs.send, "again")
        #expect(server.waiting.map(\.input) == ["hello"])
        server.complete(with: ["HELLO"])
        #expect(try harness.read(\.outputs.sent) == ["HELLO", "2"])
        #expect(server.waiting.map(\.input) == ["again"])
    }

    @Test func `ends with its instance, which it does not retain`() throws {
        try harness.client.request("viewModel.open", ["type": "finder", "id": "other"])
        try harness.client.request("other.isOnline", [true])
        try harness.client.request("other.query", ["a"])
        let call = try #require(server.waiting.first)
        weak let finder: Finder? = try harness.client.viewModel("other")
        #expect(finder != nil)
        try harness.client.request("viewModel.close", ["id": "other"])
        harness.session.runUntilIdle()
        #expect(call.isCancelled)
        #expect(finder == nil)
    }

    @Test func `runs at open and after each change of a property, in a step of its own`() throws {
        // At open its gate was closed.
        #expect(server.calls.isEmpty)
        let frames = try harness.frames { try harness.send(\.inputs.isOnline, true) }
        // The key is still empty.
        #expect(frames.count == 1)
        #expect(server.calls.isEmpty)
        let next = try harness.frames { try harness.send(\.inputs.query, "a") }
        #expect(next.map(\.values) == [["query": "a"], ["isFinding": true]])
        try harness.send(\.inputs.query, "ab")
        #expect(server.waiting.map(\.input) == ["ab"])
        server.complete(with: ["abc"])
        #expect(try harness.read(\.outputs.found) == ["abc"])
        #expect(try !harness.read(\.outputs.isFinding))
    }

    @Test func `waits until a property has kept its value`() throws {
        try harness.send(\.inputs.query, "a")
        harness.advance(by: .milliseconds(999))
        try harness.send(\.inputs.query, "b")
        harness.advance(by: .milliseconds(999))
        #expect(try harness.read(\.outputs.changes) == 0)
        harness.advance(by: .milliseconds(1))
        #expect(try harness.read(\.outputs.changes) == 1)
    }

    @Test func `shows its failure until a success, and keeps the last value`() throws {
        try harness.send(\.inputs.isOnline, true)
        try harness.send(\.inputs.query, "a")
        server.complete(with: ["abc"])
        try harness.send(\.inputs.query, "?")
        #expect(try harness.read(\.outputs.problem) == "unclear")
        #expect(try harness.read(\.outputs.found) == ["abc"])
        try harness.send(\.inputs.query, "!")
        #expect(try harness.read(\.outputs.problem) == "incident")
        // A cancelled execution is no failure.
        try harness.send(\.inputs.query, "b")
        try harness.send(\.inputs.query, "c")
        #expect(try harness.read(\.outputs.problem) == "incident")
        server.complete(with: ["cc"])
        #expect(try harness.read(\.outputs.problem) == nil)
    }
}

/// An action whose reactions change what it reacts to.
@ViewModel
private final class Restless {
    @Field var number = 0

    @Action(runs: .onChange(of: \Restless.number)) private func count() {
        if number < 3 || number > 100 { number += 1 }
    }
}

@Suite struct `An action that changes the property after whose changes it runs` {
    @Test func `runs until the property stays the same`() throws {
        let harness = try Harness(Restless.self)
        let frames = try harness.frames { try harness.send(\.inputs.number, 1) }
        #expect(frames.map(\.values) == [["number": 1], ["number": 2], ["number": 3]])
    }

    @Test func `ends its session if that never happens`() throws {
        let harness = try Harness(Restless.self)
        let error = #expect(throws: HarnessError.self) { try harness.send(\.inputs.number, 101) }
        #expect(error.map { "\($0)".contains("restless.count (OwnActionTests.swift:") } == true)
    }
}
