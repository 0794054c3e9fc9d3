import Synchronization
import Testing
import ViewModelProtocol
import ViewModelTesting

@testable import Scenarios
@testable import ViewModelHost

/// The tables of scenarios about machines, and what happens on other threads and loops.
@Suite(.timeLimit(.minutes(5))) struct MachineTests {
    private let machines: Machines
    private let a: Machine
    private let b: Machine

    init() throws {
        machines = try Machines("a", "b")
        a = machines["a"]
        b = machines["b"]
    }

    @Test(arguments: Scenario.machines)
    func `clients receive what the scenario says`(_ scenario: Scenario) throws {
        let world = try MachinesWorld()
        try ScenarioRun(scenario, ScenarioSetup(scenario), in: world).run()
        #expect(world.machines.cluster.lateWrites == 0)
    }

    @Test func `the tables are there`() {
        #expect(Scenario.machines.count > 45)
    }

    /// Attaches a client on the first machine, which saves a number.
    private func attachOnA() throws -> TestClient {
        let client = try a.attach().client
        try machines.request(client, "ledger.add", [7])
        return client
    }

    @Test func `a client on another loop waits for the last save of the session, which comes up as restored`() throws {
        let (client, left) = try a.attach(["linger": 0])
        try machines.request(client, "ledger.note", [7])
        machines.cluster.holdSaves(of: "a")
        client.close()
        machines.runUntilIdle()
        let away = ManualLoop()
        func runUntilIdle() {
            repeat {
                away.run()
                machines.runUntilIdle()
            } while !away.isIdle
        }
        let next = TestClient(host: a.host, loop: away, uid: 1000)
        let attach = next.begin("session.attach", desk())
        let read = next.begin("viewModel.read", ["id": "ledger"])
        runUntilIdle()
        #expect(attach.answer == nil && read.answer == nil)
        machines.cluster.letSavesGo(of: "a")
        runUntilIdle()
        #expect(attach.result?["created"] == true && attach.result?["restored"] == true)
        #expect(attach.result?["epoch"] != left["epoch"])
        #expect(read.result?["values"]?["numbers"] == [7])
    }

    @Test func `a client that waits for the last save is told that the daemon stops`() async throws {
        let (client, _) = try a.attach(["linger": 0])
        try machines.request(client, "ledger.note", [7])
        machines.cluster.holdSaves(of: "a")
        client.close()
        let attach = a.connect().begin("session.attach", desk())
        machines.runUntilIdle()
        a.host.beginStopping()
        await machines.endSessions(of: a) { machines.cluster.letSavesGo(of: "a") }
        #expect(attach.error?.code == .shuttingDown)
        #expect(machines.cluster.owners.isEmpty)
    }

    @Test func `a session lets a local client wait while it leaves, and then comes up for both in turn`() throws {
        let late = try attachOnA()
        machines.cluster.holdSaves(of: "a")
        let other = b.connect()
        try machines.request(late, "ledger.note", [8])
        let attach = other.begin("session.attach", desk(["move": true]))
        machines.runUntilIdle()
        // The first save goes, and the change after it makes the last save wait.
        try machines.request(late, "ledger.note", [9])
        machines.cluster.letOneSaveGo(of: "a")
        machines.runUntilIdle()
        #expect(late.closed.count == 1)
        #expect(!a.hasSession())
        #expect(attach.answer == nil)
        let local = a.connect()
        let waiting = local.begin("session.attach", desk())
        machines.runUntilIdle()
        #expect(waiting.answer == nil)
        machines.cluster.letSavesGo(of: "a")
        machines.runUntilIdle()
        // Whoever claims the session first, the other machine has asked for it with move.
        #expect(waiting.error?.code == .sessionInUse || local.closed.count == 1)
        #expect(attach.result?["restored"] == true)
        #expect(try machines.numbers(other) == [7, 8, 9])
        #expect(!a.hasSession())
        #expect(machines.cluster.lateWrites == 0)
    }

    @Test func `the session of a machine that stops is found at once by its next client`() async throws {
        let client = try attachOnA()
        let work = client.begin("ledger.work", [1])
        let idle = a.connect()
        try machines.request(idle, "session.attach", ["session": "idle"])
        try machines.request(idle, "ledger.note", [8])
        a.loop.run { a.host.beginStopping() }
        machines.runUntilIdle()
        #expect(idle.closed == [["session": "idle", "reason": "stopping"]])
        #expect(machines.cluster.owners.keys.map(\.name) == ["desk"])
        let other = b.connect()
        #expect(try machines.request(other, "session.attach", ["session": "idle"])["restored"] == true)
        #expect(try machines.numbers(other) == [8])
        #expect(work.answer == nil)
        a.work.calls[0].complete(with: 2)
        machines.runUntilIdle()
        #expect(work.result == 2)
        let (host, loop, hasEnded) = (a.host, a.loop, Flag())
        Task {
            await host.endSessions()
            hasEnded.set()
            loop.execute {}
        }
        while !hasEnded.isSet {
            try await loop.waitForWork()
            machines.runUntilIdle()
        }
        #expect(machines.cluster.owners.keys.map(\.name) == ["idle"])
        #expect(machines.cluster.lateWrites == 0)
    }

    @Test func `what could not be saved before the daemon stops is saved with its last changes`() async throws {
        let client = try attachOnA()
        machines.cluster.holdSaves(of: "a")
        try machines.request(client, "viewModel.open", ["type": "purse", "id": "other"])
        a.loop.advance(by: .seconds(1))
        try machines.request(client, "ledger.note", [8])
        await machines.endSessions(of: a) {
            machines.cluster.failNextSave(of: "a")
            machines.cluster.letSavesGo(of: "a")
        }
        let (other, _) = try b.attach()
        #expect(try machines.numbers(other) == [7, 8])
        #expect(try machines.request(other, "viewModel.read", ["id": "other"])["values"]?["coins"] == 0)
    }

    @Test func `a client that repeats a call while the store is away gets its refusals at a pace`() throws {
        let client = try a.attach().client
        machines.cluster.cutOff("a")
        func call() -> SentRequest {
            let call = client.begin("ledger.add", [7])
            machines.runUntilIdle()
            return call
        }
        // Twenty at once, and the first one of the pace.
        for number in 1...21 { #expect(call().error == .storeUnavailable, "\(number)") }
        let late = call()
        #expect(late.answer == nil)
        a.loop.advance(by: .milliseconds(49))
        #expect(late.answer == nil)
        a.loop.advance(by: .milliseconds(1))
        #expect(late.error == .storeUnavailable)
    }

    @Test func `a machine that could not release a session releases it when it is asked`() async throws {
        try attachOnA().close()
        machines.runUntilIdle()
        machines.cluster.cutOff("a")
        a.loop.advance(by: .seconds(100))
        machines.runUntilIdle()
        #expect(!a.hasSession())
        #expect(machines.cluster.owners.count == 1)
        machines.cluster.reconnect("a")
        let attach = b.connect().begin("session.attach", desk())
        machines.runUntilIdle()
        while attach.answer == nil {
            try await b.loop.waitForWork()
            machines.runUntilIdle()
        }
        #expect(attach.result?["restored"] == true)
    }
}

/// Whether something has happened, for any thread.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}
