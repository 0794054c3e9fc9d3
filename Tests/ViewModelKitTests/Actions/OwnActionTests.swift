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

/// Fails when it is cancelled.
@ViewModel
private final class Stubborn {
    private let clock: SessionClock

    @Action(runs: .atOpen) private func wait() async throws {
        do { try await clock.sleep(for: .seconds(1)) } catch { throw Unexpected() }
    }
}

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

    @Test func `is named in the log if it fails after its instance was closed`() throws {
        let harness = try Harness(Stubborn.self)
        try harness.client.request("viewModel.open", ["type": "stubborn", "id": "other"])
        try harness.client.request("viewModel.close", ["id": "other"])
        #expect(harness.session.incidents == ["Unexpected() (Unexpected error in other.wait)"])
    }

    @Test func `runs at open and after each change of a property, in a step of its own`() throws {
        // At open its gate is closed.
        #expect(server.calls.isEmpty)
        let frames = try harness.frames { try harness.send(\.inputs.isOnline, true) }
        #expect(frames.map(\.values) == [["isOnline": true], ["isFinding": true]])
        server.complete(with: [])
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

/// Reacts to its own actions, to several changes and while a gate is closed.
@ViewModel
private final class Reactor {
    @Field var a = 0
    @Field var b = 0
    @Field var isOnline = false
    @Output private(set) var notes = 0
    @Output private(set) var runs = 0
    @Output private(set) var lookUps: [Int] = []
    @Output var problem: String? { showsFailure ? $load.failure.value?.error : nil }
    @Field var showsFailure = false

    private var failed: Bool { $load.failure.value != nil }
    private var isLoading: Bool { $load.isExecuting.value }

    @Input func begin(_ secret: String) { $load.run(secret) }

    @Action private func load(_ secret: String) throws {
        if secret.isEmpty { throw InvalidValue(expected: "a secret", found: "hunter2") }
        throw ActionFailure(secret, message: "hunter2")
    }
    @Input func waitTwice() { for _ in 1...3 { $wait.run() } }
    @Action private func wait() async throws { try await clock.sleep(for: .seconds(1)) }
    private let clock: SessionClock

    @Action(runs: [.onChange(of: \Reactor.failed), .onChange(of: \Reactor.isLoading)])
    private func note() { notes += 1 }
    @Action(runs: [.onChange(of: \Reactor.a), .onChange(of: \Reactor.b)]) private func count() { runs += 1 }
    @Action(enabled: \Reactor.isOnline, runs: .onChange(of: \Reactor.a)) private func lookUp() { lookUps.append(a) }

    @Action(enabled: \Reactor.isOnline, runs: .onChange(of: \Reactor.isOnline, after: .seconds(1)))
    private func greet() { greetings += 1 }
    @Output private(set) var greetings = 0

    @Input func setBoth(_ value: Int) { (a, b) = (value, value) }
}

@Suite struct `An action that runs by itself` {
    private let harness: Harness<Reactor>

    init() throws { harness = try Harness(Reactor.self) }

    @Test func `follows the failure of an action of its class, which is kept for the first read`() throws {
        try harness.send(\.inputs.begin, "broken")
        #expect(try harness.read(\.outputs.notes) == 1)
        try harness.send(\.inputs.showsFailure, true)
        #expect(try harness.read(\.outputs.problem) == "broken")
    }

    @Test func `runs once for all changes of a step`() throws {
        try harness.send(\.inputs.setBoth, 1)
        #expect(try harness.read(\.outputs.runs) == 1)
        try harness.send(\.inputs.a, 2)
        #expect(try harness.read(\.outputs.runs) == 2)
    }

    @Test func `waits while its gate is closed, and then runs once`() throws {
        for value in [1, 2] { try harness.send(\.inputs.a, value) }
        #expect(try harness.read(\.outputs.lookUps) == [])
        try harness.send(\.inputs.isOnline, true)
        #expect(try harness.read(\.outputs.lookUps) == [2])
        try harness.send(\.inputs.isOnline, false)
        try harness.send(\.inputs.isOnline, true)
        #expect(try harness.read(\.outputs.lookUps) == [2])
    }

    @Test func `waits for its interval after the change that opens its gate`() throws {
        try harness.send(\.inputs.isOnline, true)
        try harness.send(\.inputs.isOnline, false)
        harness.advance(by: .seconds(1))
        try harness.send(\.inputs.isOnline, true)
        #expect(try harness.read(\.outputs.greetings) == 0)
        harness.advance(by: .seconds(1))
        #expect(try harness.read(\.outputs.greetings) == 1)
    }

    @Test func `logs each error once, without values`() throws {
        for secret in ["broken", "", "broken", "lost", ""] { try harness.send(\.inputs.begin, secret) }
        try harness.send(\.inputs.a, 1)
        let entries = harness.session.log.entries
        #expect(entries.map { $0.metadata["error"] } == ["broken", "a value is invalid", "lost"])
        #expect(entries.allSatisfy { $0.metadata["action"]?.hasPrefix("reactor.load (") == true })
    }

    @Test func `logs once that it was refused because it executes`() throws {
        for _ in 1...2 { try harness.send(\.inputs.waitTwice) }
        let entries = harness.session.log.entries
        #expect(entries.map { $0.metadata["error"] } == ["it was refused, because it executes"])
    }
}

/// An action that the ViewModel runs while its gate is closed.
@ViewModel
private final class Closed {
    @State private var isOpen = false
    @Action(enabled: \Closed.isOpen) func ring() {}
    @Input func press() { $ring.run() }
}

@Suite struct `A run of a ViewModel that a closed gate refuses` {
    @Test func `is in the log once`() throws {
        let harness = try Harness(Closed.self)
        for _ in 1...2 { try harness.send(\.inputs.press) }
        let entries = harness.session.log.entries
        #expect(entries.map { $0.metadata["error"] } == ["it was refused, because it is disabled"])
        #expect(entries.first?.metadata["action"]?.hasPrefix("closed.ring (") == true)
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

/// An action that makes a cell too late.
@ViewModel
private final class Late {
    @Field var number = 0

    @Action func reset() { number = 0 }
    @Action(runs: .onChange(of: \Late.number)) private func makeCell() { _ = Cell(number) }
}

@Suite struct `A mistake in a private action` {
    @Test func `names the action`() throws {
        let harness = try Harness(Late.self)
        let error = #expect(throws: HarnessError.self) { try harness.send(\.inputs.number, 1) }
        #expect(error.map { "\($0)".contains("late.makeCell") } == true, "\(error as Any)")
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
