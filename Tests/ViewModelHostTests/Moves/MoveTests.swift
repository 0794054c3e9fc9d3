import Testing
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

@Suite struct `A session of two machines` {
    private let machines: Machines
    private let a: Machine
    private let b: Machine

    init() throws {
        machines = try Machines("a", "b")
        a = machines["a"]
        b = machines["b"]
    }

    /// Attaches a client on the first machine, adds a number that is not saved yet, and leaves.
    private func leaveOnA() throws -> JSONValue {
        let (client, reply) = try a.attach()
        try machines.request(client, "ledger.note", [7])
        client.close()
        machines.runUntilIdle()
        return reply
    }

    @Test func `moves to the machine of the next client when nobody is attached`() throws {
        let first = try leaveOnA()
        let (client, reply) = try b.attach()
        #expect(reply["created"] == true)
        #expect(reply["restored"] == true)
        #expect(reply["epoch"] != first["epoch"])
        #expect(try machines.numbers(client) == [7])
        #expect(!a.hasSession())
    }

    @Test func `moves although nothing of it was saved, and nothing of it is restored`() throws {
        let (client, first) = try a.attach()
        #expect(first["restored"] == false)
        client.close()
        machines.runUntilIdle()
        let reply = try b.attach().reply
        #expect(reply["created"] == true && reply["restored"] == false)
        #expect(!a.hasSession())
    }

    @Test func `is refused while somebody is attached, and goes on there`() throws {
        let (client, _) = try a.attach()
        let (second, _) = try a.attach()
        let refused = b.connect().begin("session.attach", desk())
        machines.runUntilIdle()
        #expect(refused.error?.code == .sessionInUse)
        #expect(refused.error?.data == ["node": "a", "attached": 2])
        #expect(client.closed.isEmpty)
        #expect(second.closed.isEmpty)
        #expect(a.hasSession())
        #expect(!b.hasSession())
    }

    @Test func `moves at a client's word, and its clients have none until they attach again`() throws {
        let (client, _) = try a.attach()
        try client.bind("ledger")
        try machines.request(client, "ledger.note", [7])
        let (mover, reply) = try b.attach(["move": true])
        #expect(reply["restored"] == true)
        #expect(try machines.numbers(mover) == [7])
        #expect(client.closed == [["session": "desk", "reason": "moved", "node": "b"]])
        let late = client.begin("ledger.note", [8])
        #expect(late.error?.code == .sessionEnded)
        #expect(late.error?.data == ["session": "desk", "reason": "moved"])
        let back = client.begin("session.attach", desk())
        machines.runUntilIdle()
        #expect(back.error?.data == ["node": "b", "attached": 1])
    }

    @Test func `that nobody has attached to answers at once with its own, and move changes nothing`() throws {
        let (_, first) = try a.attach(["move": true])
        #expect(first["created"] == true)
        #expect(first["restored"] == false)
        let (_, second) = try a.attach(["move": true])
        #expect(second["created"] == false)
        #expect(second["epoch"] == first["epoch"])
    }

    @Test func `comes back to its first machine with everything`() throws {
        _ = try leaveOnA()
        let (there, _) = try b.attach()
        try machines.request(there, "ledger.add", [8])
        let (back, reply) = try a.attach(["move": true])
        #expect(reply["restored"] == true)
        #expect(try machines.numbers(back) == [7, 8])
    }

    @Test func `moves only for those who may act`() throws {
        let observer = b.connect(scope: .observe)
        let refused = observer.begin("session.attach", desk(["move": true]))
        machines.runUntilIdle()
        #expect(refused.error?.code == .accessDenied)
        #expect(try machines.request(observer, "session.attach", desk())["created"] == true)
    }

    @Test func `is found by an admin on another machine, who creates none`() throws {
        let admin = b.connect(uid: 0, scope: .admin)
        let missing = admin.begin("session.attach", desk(["uid": 1000]))
        machines.runUntilIdle()
        #expect(missing.error?.code == .notFound)
        _ = try leaveOnA()
        #expect(try machines.request(admin, "session.attach", desk(["uid": 1000]))["restored"] == true)
        #expect(try machines.numbers(admin) == [7])
    }

    @Test func `whose machine has let it go moves without a question`() throws {
        let (client, _) = try a.attach(["linger": 0])
        try machines.request(client, "ledger.note", [7])
        client.close()
        machines.runUntilIdle()
        #expect(machines.cluster.owners.isEmpty)
        let (other, _) = try b.attach()
        #expect(try machines.numbers(other) == [7])
        #expect(machines.cluster.lateWrites == 0)
    }

    @Test func `without a name is of its machine alone`() throws {
        let client = a.connect()
        try machines.request(client, "ledger.add", [7])
        #expect(machines.cluster.claims == 0)
        #expect(machines.cluster.owners.isEmpty)
        #expect(try machines.request(b.connect(), "session.list") == ["sessions": []])
    }

    @Test func `loses its running actions, which are answered`() throws {
        let (client, _) = try a.attach()
        let work = client.begin("ledger.work", [1])
        machines.runUntilIdle()
        _ = try b.attach(["move": true])
        #expect(work.error?.code == .cancelled)
    }
}
