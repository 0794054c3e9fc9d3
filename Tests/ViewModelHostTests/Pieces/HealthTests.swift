import Testing
import ViewModelHost
import ViewModelProtocol
import ViewModelTesting

@Suite struct `The daemon's health` {
    @Test func `counts sessions and instances as they were within a second of somebody's look`() throws {
        let daemon = try Daemon()
        let client = try daemon.connect()
        #expect(
            try client.read("daemon", outputs: ["sessions", "instances", "state"]).values == [
                "sessions": 1, "instances": 3, "state": "running",
            ]
        )
        let other = try daemon.connect(to: "other", linger: 0)
        try other.request("page.title", ["x"])
        daemon.harness.advance(by: .seconds(1))
        #expect(
            try client.read("daemon", outputs: ["sessions", "instances"]).values == [
                "sessions": 2, "instances": 9,
            ]
        )
        other.close()
        daemon.harness.advance(by: .seconds(1))
        #expect(
            try client.read("daemon", outputs: ["sessions", "instances"]).values == [
                "sessions": 1, "instances": 3,
            ]
        )
    }

    @Test func `is sampled once a second, and only while somebody is bound`() throws {
        let daemon = try Daemon()
        let client = try daemon.connect()
        try client.bind("daemon", outputs: ["instances"])
        try client.request("board.idle")
        #expect(client.frames == [])
        daemon.harness.advance(by: .seconds(1))
        #expect(client.frames.map(\.values) == [["instances": 4]])
        try client.unbind("daemon")
        try client.request("echo.set", [1])
        daemon.harness.advance(by: .seconds(5))
        #expect(client.frames.count == 1)
    }

    @Test func `tells that the daemon stops`() throws {
        let daemon = try Daemon()
        let client = try daemon.connect()
        try client.bind("daemon", outputs: ["state"])
        daemon.harness.host.beginStopping()
        daemon.harness.advance(by: .seconds(1))
        #expect(client.picture(of: "daemon")?["state"] == "stopping")
    }
}
