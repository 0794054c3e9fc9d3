import Synchronization
import Testing
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

/// Whether something has happened, for any thread.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }

    func set() { value.withLock { $0 = true } }
}

@Suite struct `A session on another machine` {
    private let machines: Machines
    private let a: Machine
    private let b: Machine
    private let client: TestClient

    init() throws {
        machines = try Machines("a", "b")
        a = machines["a"]
        b = machines["b"]
        client = try a.attach().client
        try machines.request(client, "ledger.add", [7])
    }

    private func list(_ client: TestClient, _ params: JSONValue? = nil) throws -> [SessionList.Entry] {
        let reply = try machines.request(client, "session.list", params)
        return try reply.decoded(as: SessionList.Result.self).sessions
    }

    @Test func `is listed with its node, among those that live here`() throws {
        for name in ["alpha", "zulu"] {
            try machines.request(b.connect(), "session.attach", ["session": .string(name), "linger": 60])
        }
        let there = try list(b.connect())
        #expect(there.map(\.session) == ["alpha", "desk", "zulu"])
        #expect(there.map(\.node) == [nil, "a", nil])
        let desk = try #require(there.first { $0.session == "desk" })
        var here = try #require(try list(client).first { $0.session == "desk" })
        #expect(here.node == nil)
        here.node = "a"
        #expect(desk == here)
        #expect(desk.attached == 1)
        #expect(desk.expires == nil)
        client.close()
        machines.runUntilIdle()
        let left = try #require(try list(b.connect()).first { $0.session == "desk" })
        #expect(left.attached == 0)
        #expect(left.expires != nil)
    }

    @Test func `is listed for its user and for an admin only`() throws {
        #expect(try list(b.connect(uid: 1001)).isEmpty)
        let all = try list(b.connect(uid: 0, scope: .admin), ["all": true])
        #expect(all.map(\.uid) == [1000])
        #expect(all.map(\.node) == ["a"])
    }

    @Test func `is not listed while the store cannot be reached, but those that live here are`() throws {
        try machines.request(b.connect(), "session.attach", ["session": "alpha"])
        let other = b.connect()
        machines.cluster.cutOff("b")
        #expect(try list(other).map(\.session) == ["alpha"])
    }

    @Test func `is closed there, and nothing of it is left`() throws {
        #expect(try machines.request(b.connect(), "session.close", ["session": "desk"]) == .null)
        #expect(client.closed == [["session": "desk", "reason": "closed"]])
        #expect(machines.cluster.owners.isEmpty)
        #expect(try b.attach().reply["restored"] == false)
        #expect(machines.cluster.lateWrites == 0)
    }

    @Test(arguments: [true, false])
    func `of which nothing is saved is closed there, or moves to an admin`(isAttached: Bool) throws {
        for session in ["one", "two"] {
            let other = a.connect()
            try machines.request(other, "session.attach", ["session": .string(session), "linger": 600])
            if !isAttached { other.close() }
            machines.runUntilIdle()
        }
        #expect(try machines.request(b.connect(), "session.close", ["session": "one"]) == .null)
        let admin = b.connect(uid: 0, scope: .admin)
        let attach: JSONValue = ["session": "two", "uid": 1000, "move": true]
        let reply = try machines.request(admin, "session.attach", attach)
        #expect(reply["created"] == true && reply["restored"] == false)
        #expect(Set(machines.cluster.owners.keys.map(\.name)) == ["desk", "two"])
    }

    @Test func `is listed with the instances that it has now`() throws {
        func count() throws -> Int? { try list(b.connect()).first?.instances }
        let before = try #require(try count())
        try machines.request(client, "viewModel.open", ["type": "purse", "id": "other"])
        #expect(try count() == before + 1)
        try machines.request(client, "viewModel.close", ["id": "other"])
        #expect(try count() == before)
    }

    @Test func `that is only saved is erased`() throws {
        client.close()
        a.loop.advance(by: .seconds(100))
        machines.runUntilIdle()
        #expect(try machines.request(b.connect(), "session.close", ["session": "desk"]) == .null)
        #expect(try a.attach().reply["restored"] == false)
    }

    @Test func `and neither living nor saved is not found`() throws {
        let close = b.connect().begin("session.close", ["session": "dusk"])
        machines.runUntilIdle()
        #expect(close.error?.code == .notFound)
        #expect(machines.cluster.owners.count == 1)
    }

    @Test func `of a machine that stops is found at once by its next client`() async throws {
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

    @Test func `that a stopping machine waits for is not waited for any longer`() throws {
        let attach = b.connect().begin("session.attach", desk(["move": true]))
        machines.cluster.cutOff("a")
        machines.runUntilIdle()
        b.loop.run { b.host.beginStopping() }
        machines.runUntilIdle()
        #expect(attach.error?.code == .shuttingDown)
    }
}
