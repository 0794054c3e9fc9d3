import Testing
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

@Suite struct `A session that is saved while another machine asks for it` {
    private let machines: Machines
    private let a: Machine
    private let b: Machine

    /// Leaves the session on the first machine, with a change whose save waits.
    init() throws {
        machines = try Machines("a", "b")
        a = machines["a"]
        b = machines["b"]
        let (client, _) = try a.attach()
        try machines.request(client, "ledger.note", [7])
        machines.cluster.holdSaves(of: "a")
        client.close()
        machines.runUntilIdle()
    }

    @Test func `moves after the save, with what was saved`() throws {
        let client = b.connect()
        let attach = client.begin("session.attach", desk())
        machines.runUntilIdle()
        #expect(attach.answer == nil)
        machines.cluster.letSavesGo(of: "a")
        machines.runUntilIdle()
        #expect(attach.result?["restored"] == true)
        #expect(try machines.numbers(client) == [7])
        #expect(machines.cluster.lateWrites == 0)
    }

    @Test func `stays if a client attaches to it meanwhile`() throws {
        let attach = b.connect().begin("session.attach", desk())
        machines.runUntilIdle()
        let local = a.connect()
        let meanwhile = local.begin("session.attach", desk())
        machines.runUntilIdle()
        #expect(meanwhile.result?["created"] == false)
        machines.cluster.letSavesGo(of: "a")
        machines.runUntilIdle()
        #expect(attach.error?.data == ["node": "a", "attached": 1])
        #expect(local.closed.isEmpty)
    }

    @Test func `moves with move although a client attaches meanwhile`() throws {
        let attach = b.connect().begin("session.attach", desk(["move": true]))
        let (local, _) = try a.attach()
        machines.runUntilIdle()
        machines.cluster.letSavesGo(of: "a")
        machines.runUntilIdle()
        #expect(attach.result?["restored"] == true)
        #expect(local.closed == [["session": "desk", "reason": "moved", "node": "b"]])
    }

    @Test func `lets a local client wait while it leaves, and then comes up for both in turn`() throws {
        let (late, _) = try a.attach()
        let other = b.connect()
        let attach = other.begin("session.attach", desk(["move": true]))
        machines.runUntilIdle()
        // The first save goes, and the change after it makes the last save wait.
        try machines.request(late, "ledger.note", [8])
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
        #expect(try machines.numbers(other) == [7, 8])
        #expect(!a.hasSession())
        #expect(machines.cluster.lateWrites == 0)
    }

    @Test func `answers a call that waits for its last save before it tells the client that it has moved`() throws {
        let (client, _) = try a.attach()
        let attach = b.connect().begin("session.attach", desk(["move": true]))
        machines.runUntilIdle()
        // The first save goes. The action waits for the last one.
        let add = client.begin("ledger.add", [8])
        machines.runUntilIdle()
        machines.cluster.letOneSaveGo(of: "a")
        machines.runUntilIdle()
        #expect(!a.hasSession())
        #expect(add.answer == nil && client.closed.isEmpty)
        machines.cluster.letSavesGo(of: "a")
        machines.runUntilIdle()
        #expect(add.result == 2)
        #expect(client.received.last?.params(of: "session.closed")?["reason"] == "moved")
        #expect(attach.result?["restored"] == true)
    }

    @Test func `answers a call whose save it leaves after before it tells the client that it has moved`() throws {
        let (client, _) = try a.attach()
        let first = client.begin("ledger.add", [8])
        try machines.request(client, "ledger.note", [9])
        _ = b.connect().begin("session.attach", desk(["move": true]))
        machines.runUntilIdle()
        let second = client.begin("ledger.add", [10])
        machines.runUntilIdle()
        #expect(first.answer == nil && second.answer == nil)
        machines.cluster.letSavesGo(of: "a")
        machines.runUntilIdle()
        #expect(first.result == 2 && second.result == 4)
        #expect(client.received.last?.params(of: "session.closed")?["reason"] == "moved")
    }

    @Test func `is not asked twice for an answer that it has given`() throws {
        let attach = b.connect().begin("session.attach", desk())
        machines.runUntilIdle()
        machines.cluster.repeatRequests()
        machines.cluster.repeatRequests()
        machines.runUntilIdle()
        machines.cluster.letSavesGo(of: "a")
        machines.runUntilIdle()
        #expect(attach.result?["restored"] == true)
        #expect(machines.cluster.lateWrites == 0)
    }
}
