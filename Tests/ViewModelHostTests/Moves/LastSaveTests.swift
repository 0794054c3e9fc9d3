import Testing
import ViewModelProtocol
import ViewModelTesting

@testable import ViewModelHost

@Suite struct `A session that is saved after its last client has left` {
    private let machines: Machines
    private let a: Machine
    private let left: JSONValue

    /// Leaves a session without a linger, with a change whose save waits.
    init() throws {
        machines = try Machines("a")
        a = machines["a"]
        let (client, reply) = try a.attach(["linger": 0])
        left = reply
        try machines.request(client, "ledger.note", [7])
        machines.cluster.holdSaves(of: "a")
        client.close()
        machines.runUntilIdle()
    }

    @Test(arguments: [true, false])
    func `lets the next client wait for its end, and comes up as restored`(isOnSameLoop: Bool) throws {
        let away = ManualLoop()
        func runUntilIdle() {
            repeat {
                away.run()
                machines.runUntilIdle()
            } while !away.isIdle
        }
        let next = isOnSameLoop ? a.connect() : TestClient(host: a.host, loop: away, uid: 1000)
        let attach = next.begin("session.attach", desk())
        let read = next.begin("viewModel.read", ["id": "ledger"])
        runUntilIdle()
        #expect(attach.answer == nil)
        #expect(read.answer == nil)
        machines.cluster.letSavesGo(of: "a")
        runUntilIdle()
        let reply = try #require(attach.result)
        #expect(reply["created"] == true && reply["restored"] == true)
        #expect(reply["epoch"] != left["epoch"])
        #expect(read.result?["values"]?["numbers"] == [7])
    }

    @Test func `stays if it cannot be saved, and the next client finds it`() throws {
        let next = a.connect()
        let attach = next.begin("session.attach", desk())
        machines.runUntilIdle()
        machines.cluster.failSaves(of: "a")
        machines.cluster.letSavesGo(of: "a")
        machines.runUntilIdle()
        let reply = try #require(attach.result)
        #expect(reply["created"] == false)
        #expect(reply["epoch"] == left["epoch"])
        #expect(try machines.numbers(next) == [7])
        machines.cluster.reconnect("a")
        next.close()
        machines.runUntilIdle()
        #expect(!a.hasSession())
    }

    @Test func `ends with the daemon, and the client that waits is told so`() async throws {
        let attach = a.connect().begin("session.attach", desk())
        machines.runUntilIdle()
        a.host.beginStopping()
        await machines.endSessions(of: a) { machines.cluster.letSavesGo(of: "a") }
        #expect(attach.error?.code == .shuttingDown)
        #expect(machines.cluster.owners.isEmpty)
    }
}
