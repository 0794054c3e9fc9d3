import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@testable import Scenarios

@Suite struct `A session` {
    @Test func `that ends while a client on another loop attaches to it is created anew`() throws {
        let loops = try TwoLoops()
        let first = try loops.daemon.connect(to: "brief", linger: 0)
        try first.request("board.set", [1])
        let last = loops.connectAway(), next = loops.connectAway()
        try loops.request(last, "session.attach", ["session": "brief"])
        first.close()
        last.close()
        let attaching = next.begin("session.attach", ["session": "brief"])
        loops.runUntilIdle()
        #expect(try attaching.answer?.get()["created"] == true)
        #expect(try loops.value(next) == 0)
    }

    @Test func `leaves nothing behind`() throws {
        let daemon = try Daemon()
        let counters = daemon.harness.host.counters
        weak var board: Board?
        for _ in 0..<20 {
            let client = daemon.harness.connectAnonymously()
            board = try client.viewModel("board")
            try client.bind("board")
            client.begin("board.work", [1])
            client.close()
        }
        #expect(board == nil)
        #expect(counters.sessions.value == 0)
        #expect(counters.instances.value == 0)
    }
}
