import Testing
import ViewModelKit
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

/// What is saved of retry keys; what clients see of them is in the tables.
@Suite struct `A saved retry key` {
    private let machines: Machines
    private let a: Machine
    private let b: Machine
    private let client: TestClient

    init() throws {
        machines = try Machines("a", "b")
        a = machines["a"]
        b = machines["b"]
        client = try a.attach().client
    }

    private func keyed(_ number: Int, _ key: String = "k") -> JSONValue {
        ["value": .integer(number), "_meta": ["key": .string(key)]]
    }

    private func move() throws -> TestClient { try b.attach(["move": true]).client }

    /// The names and texts of the saved calls.
    private var savedCalls: String {
        machines.cluster.access { state in
            let values = state.saved.values.flatMap(\.values).filter { SavedRetryKeys.isCall($0.key) }
            return values.map { "\($0.key.name) \(String(decoding: $0.value, as: UTF8.self))\n" }.joined()
        }
    }

    @Test func `leaves nothing of a secret in the store, not even a digest`() throws {
        // The digest of the test is the text itself.
        try machines.request(client, "ledger.add", keyed(7))
        #expect(savedCalls.contains(#""digest":""#), "\(savedCalls)")
        let password: JSONValue = ["value": "hunter2", "_meta": ["key": "k"]]
        let unlock: JSONValue = ["proof": ["passwords": ["hunter2"]], "_meta": ["key": "k"]]
        try machines.request(client, "ledger.password", password)
        #expect(try machines.request(client, "ledger.unlock", unlock) == 3)
        let wrong: JSONValue = ["proof": ["passwords": ["wrong", "hunter2"]], "_meta": ["key": "w"]]
        client.begin("ledger.unlock", wrong)
        #expect(try machines.request(client, "ledger.reveal", keyed(9)) == "secret-9")
        machines.runUntilIdle()
        for secret in ["hunter2", "secret-9"] { #expect(!savedCalls.contains(secret)) }
        let withSecrets = savedCalls.split(separator: "\n").filter { $0.contains("unlock") || $0.contains("password") }
        #expect(withSecrets.count == 3 && withSecrets.allSatisfy { !$0.contains(#""digest":""#) }, "\(savedCalls)")

        let other = try move()
        #expect(try machines.request(other, "ledger.unlock", unlock) == 3)
        try machines.request(other, "ledger.password", password)
        let again = other.begin("ledger.reveal", keyed(9))
        machines.runUntilIdle()
        #expect(again.error?.data?["error"] == "resultNotKept")
        #expect(try machines.numbers(other) == [7, 7, 7, 9])
    }

    @Test func `of a former version is erased with its digest`() throws {
        let former = SavedValue.Key(owner: "ledger", name: "\u{1}key add k")
        try machines.request(client, "ledger.add", [5])
        client.close()
        machines.runUntilIdle()
        machines.cluster.access { state in
            let text = #"{"date":0,"parameters":1,"outcome":{"kind":"success","json":"99"}}"#
            for key in state.saved.keys { state.saved[key]?.values[former] = Array(text.utf8) }
        }
        let (other, _) = try b.attach()
        #expect(try machines.request(other, "ledger.add", keyed(7)) == 2)
        #expect(!savedCalls.contains(former.name))
    }

    @Test func `keeps the failure of an action with its details`() throws {
        let work = client.begin("ledger.work", keyed(1))
        machines.runUntilIdle()
        a.work.calls[0].fail(with: ActionFailure("late", message: "Too late", details: "all", retryable: true))
        machines.runUntilIdle()
        let error = try #require(work.error)
        #expect(error.data?["details"] == "all")
        let again = try move().begin("ledger.work", keyed(1))
        machines.runUntilIdle()
        #expect(again.error == error)
    }

    @Test func `is erased ten minutes after its call`() throws {
        try machines.request(client, "ledger.add", keyed(7))
        for machine in machines.all { machine.loop.advance(by: .seconds(601)) }
        let other = try move()
        machines.runUntilIdle()
        try machines.request(other, "ledger.note", [1])
        b.loop.advance(by: .seconds(2))
        machines.runUntilIdle()
        #expect(savedCalls.isEmpty)
    }

    @Test func `is one of the newest that are saved`() throws {
        for number in 0..<300 { client.begin("ledger.note", keyed(number, "k\(number)")) }
        machines.runUntilIdle()
        let other = try move()
        try machines.request(other, "ledger.note", keyed(299, "k299"))
        try machines.request(other, "ledger.note", keyed(44, "k44"))
        #expect(try machines.numbers(other)?.arrayValue?.count == 300)
        try machines.request(other, "ledger.note", keyed(43, "k43"))
        #expect(try machines.numbers(other)?.arrayValue?.count == 301)
    }

    @Test func `is not saved if its outcome is large`() throws {
        let large = String(repeating: "x", count: 40 << 10)
        client.begin("ledger.work", keyed(1))
        machines.runUntilIdle()
        a.work.calls[0].fail(with: ActionFailure("late", message: large))
        machines.runUntilIdle()
        let other = try move()
        other.begin("ledger.work", keyed(1))
        machines.runUntilIdle()
        #expect(b.work.calls.count == 1)
    }
}
