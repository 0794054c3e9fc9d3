import Testing
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

@Suite struct `A session whose machine` {
    private let machines: Machines
    private let a: Machine
    private let b: Machine
    private let client: TestClient

    /// Attaches a client on the first machine, which saves a number.
    init() throws {
        machines = try Machines("a", "b")
        a = machines["a"]
        b = machines["b"]
        client = try a.attach().client
        try machines.request(client, "ledger.add", [7])
    }

    private let moved: JSONValue = ["session": "desk", "reason": "moved", "node": "b"]

    @Test func `does not answer is unavailable, and the client may try again`() throws {
        client.close()
        machines.runUntilIdle()
        machines.cluster.cutOff("a")
        let other = b.connect()
        let attach = other.begin("session.attach", desk())
        machines.runUntilIdle()
        #expect(attach.answer == nil)
        machines.cluster.timeOut()
        machines.runUntilIdle()
        #expect(attach.error?.code == .actionFailed)
        #expect(attach.error?.data == ["error": "storeUnavailable", "details": nil, "retryable": true])
        machines.cluster.reconnect("a")
        #expect(try machines.request(other, "session.attach", desk())["restored"] == true)
    }

    @Test func `has died moves when the lease is over, with all that was acknowledged`() throws {
        machines.cluster.cutOff("a")
        let other = b.connect()
        let attach = other.begin("session.attach", desk(["move": true]))
        machines.runUntilIdle()
        #expect(attach.answer == nil)
        machines.cluster.expireLease(of: "a")
        machines.runUntilIdle()
        #expect(attach.result?["restored"] == true)
        #expect(try machines.numbers(other) == [7])
    }

    @Test func `is cut off goes on in memory, cannot save, and is told later that it has moved`() throws {
        machines.cluster.cutOff("a")
        try client.bind("ledger")
        try machines.request(client, "ledger.note", [8])
        #expect(client.picture(of: "ledger")?["numbers"] == [7, 8])
        let add = client.begin("ledger.add", [9])
        machines.runUntilIdle()
        #expect(add.error?.data?["error"] == "storeUnavailable")
        machines.cluster.expireLease(of: "a")
        let (other, _) = try b.attach(["move": true])
        #expect(try machines.numbers(other) == [7])
        #expect(client.closed.isEmpty)
        machines.cluster.reconnect("a")
        machines.runUntilIdle()
        #expect(client.closed == [moved])
        a.loop.advance(by: .seconds(100))
        machines.runUntilIdle()
        #expect(try machines.numbers(other) == [7])
        #expect(!a.hasSession())
    }

    @Test func `was asleep learns by its next save that it has moved, and acknowledges nothing`() throws {
        machines.cluster.expireLease(of: "a")
        machines.cluster.loseEvents(of: "a")
        let (other, _) = try b.attach(["move": true])
        machines.runUntilIdle()
        #expect(client.closed.isEmpty)
        let add = client.begin("ledger.add", [8])
        machines.runUntilIdle()
        #expect(add.error?.code == .cancelled)
        #expect(client.closed == [moved])
        #expect(try machines.numbers(other) == [7])
    }

    @Test func `loses it during a save answers the callers that wait for the save`() throws {
        machines.cluster.holdSaves(of: "a")
        let first = client.begin("ledger.add", [8])
        let second = client.begin("ledger.add", [9])
        machines.runUntilIdle()
        machines.cluster.expireLease(of: "a")
        let (other, _) = try b.attach(["move": true])
        #expect(first.error?.code == .cancelled)
        #expect(second.error?.code == .cancelled)
        #expect(client.closed == [moved])
        machines.cluster.letSavesGo(of: "a")
        machines.runUntilIdle()
        #expect(try machines.numbers(other) == [7])
    }

    @Test func `loses it during a save of the user's values acknowledges no change of the session`() throws {
        machines.cluster.holdValues(of: "a")
        let earn = client.begin("purse.earn", [3])
        machines.runUntilIdle()
        machines.cluster.expireLease(of: "a")
        let (other, _) = try b.attach(["move": true])
        #expect(client.closed == [moved])
        machines.cluster.letValuesGo(of: "a")
        machines.runUntilIdle()
        #expect(earn.error?.code == .cancelled)
        #expect(try machines.request(other, "viewModel.read", ["id": "purse"])["values"]?["coins"] == 0)
    }

    @Test func `is cut off cannot be closed there, and is closed where it lives once the machine is back`() throws {
        machines.cluster.cutOff("a")
        let failed = client.begin("session.close")
        machines.runUntilIdle()
        #expect(failed.error?.data?["error"] == "storeUnavailable")
        #expect(a.hasSession())
        #expect(client.closed.isEmpty)
        machines.cluster.expireLease(of: "a")
        let (other, _) = try b.attach()
        machines.cluster.reconnect("a")
        #expect(try machines.request(client, "session.close", ["session": "desk"]) == .null)
        #expect(other.closed == [["session": "desk", "reason": "closed"]])
        #expect(try a.attach().reply["restored"] == false)
    }

    @Test func `is cut off keeps it after its linger, with what was entered, until it can be saved`() throws {
        machines.cluster.cutOff("a")
        try machines.request(client, "ledger.note", [8])
        client.close()
        for _ in 0..<3 {
            a.loop.advance(by: .seconds(31))
            machines.runUntilIdle()
            #expect(a.hasSession())
        }
        machines.cluster.reconnect("a")
        a.loop.advance(by: .seconds(31))
        machines.runUntilIdle()
        #expect(!a.hasSession())
        #expect(try machines.numbers(b.attach().client) == [7, 8])
    }

    @Test func `cannot save its last changes keeps it`() throws {
        try machines.request(client, "ledger.note", [8])
        machines.cluster.failSaves(of: "a")
        let attach = b.connect().begin("session.attach", desk(["move": true]))
        machines.runUntilIdle()
        #expect(attach.answer == nil)
        #expect(client.closed.isEmpty)
        machines.cluster.reconnect("a")
        machines.cluster.repeatRequests()
        machines.runUntilIdle()
        #expect(attach.result?["restored"] == true)
        #expect(client.closed == [moved])
    }

    @Test func `could not save it before the daemon stops saves that with its last changes`() async throws {
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

    @Test func `could not release it releases it when it is asked`() async throws {
        client.close()
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

    @Test func `was cut off when its last client left reports that later, and releases it later`() throws {
        machines.cluster.cutOff("a")
        client.close()
        machines.runUntilIdle()
        machines.cluster.reconnect("a")
        a.loop.advance(by: .seconds(6))
        machines.runUntilIdle()
        #expect(machines.cluster.owners.values.map(\.facts?.attached) == [0])
        machines.cluster.cutOff("a")
        a.loop.advance(by: .seconds(60))
        machines.runUntilIdle()
        machines.cluster.reconnect("a")
        #expect(machines.cluster.owners.count == 1)
        a.loop.advance(by: .seconds(6))
        machines.runUntilIdle()
        #expect(machines.cluster.owners.isEmpty)
    }
}
