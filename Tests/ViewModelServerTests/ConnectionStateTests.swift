import Foundation
import JSONRPC
import Testing

@testable import Scenarios
@testable import ViewModelServer

/// The connection's state machine between the socket and the peer: tables, and what a table does not show.
@Suite struct ConnectionStateTests {
    @Test(arguments: Scenario.connections)
    func `a connection does what the scenario says`(_ scenario: Scenario) throws {
        let owner = ScriptedOwner(scenario)
        for step in scenario.steps {
            let parts = step.text.components(separatedBy: " => ")
            let outcome = try owner.perform(parts[0])
            if parts.count == 2 { #expect(outcome == parts[1], "\(step.place): \(step.text)") }
        }
    }

    @Test func `the tables are there`() {
        #expect(Scenario.connections.count > 40)
    }

    @Test func `a batch that moves in its turn keeps the bytes behind it`() {
        let owner = ScriptedOwner()
        owner.hold = .turn
        owner.receive("[]\n2\n")
        guard case .resumeBatch = owner.state.turnBegins(.turn, at: .zero) else {
            Issue.record("the batch was not resumed")
            return
        }
        guard case .pause(.move) = owner.state.turnContinues(.move, at: .zero) else {
            Issue.record("the connection does not wait for the move")
            return
        }
        owner.hold = nil
        #expect(owner.moved())
        #expect(owner.runTurn()?.name == "resume")
        #expect(owner.delivered == ["[]", "2"])
    }

    @Test func `a batch that fills the backlog in its turn keeps the bytes behind it`() {
        let owner = ScriptedOwner(bufferBytes: 10)
        owner.hold = .turn
        owner.receive("[]\n2\n")
        _ = owner.state.turnBegins(.turn, at: .zero)
        owner.write("a long reply")
        guard case .pause(.space) = owner.state.turnContinues(nil, at: .zero) else {
            Issue.record("the connection does not wait for space")
            return
        }
        #expect(owner.delivered == ["[]"])
    }

    @Test func `a client that reads nothing for the whole limit is disconnected`() {
        let owner = ScriptedOwner(bufferBytes: 10, stall: .seconds(10))
        owner.channelBacklogChanged(to: 100)
        guard case .pause(.space) = owner.receive("1\n2\n") else {
            Issue.record("the connection does not wait for space")
            return
        }
        #expect(owner.state.stall?.interval == .milliseconds(500))
        #expect(owner.stallCheck(channelBacklog: 100, at: .seconds(9)) == "checkAgain")
        #expect(owner.stallCheck(channelBacklog: 100, at: .seconds(10)) == "close")
    }

    @Test func `checks are at least 50 ms apart`() {
        #expect(StallWatch(backlog: 0, limit: .milliseconds(100), at: .zero).interval == .milliseconds(50))
    }

    @Test func `a client that does not read the last messages is given up`() {
        let limit = Duration.seconds(1)
        var state = ConnectionStateMachine(limits: .init(bufferBytes: 1000, stall: limit))
        state.opened()
        state.watchEnd(channelBacklog: 100, at: .zero)
        #expect(state.stall == nil)
        _ = state.finish()
        state.watchEnd(channelBacklog: 0, at: .zero)
        #expect(state.stall == nil)
        state.watchEnd(channelBacklog: 100, at: .zero)
        #expect(state.stall != nil)
        #expect(state.isStalled(channelBacklog: 100, at: limit / 2) == false)
        #expect(state.isStalled(channelBacklog: 99, at: limit) == false)
        #expect(state.isStalled(channelBacklog: 99, at: limit * 3) == true)
    }

    @Test func `an empty buffer is asked for once in each burst`() {
        let owner = ScriptedOwner()
        var asked = 0
        func buffer() -> [UInt8] {
            asked += 1
            return []
        }
        for _ in 0..<3 { _ = owner.state.write({ $0.byte(0x31) }, into: buffer()) }
        #expect(asked == 1)
    }

    @Test func `bytes are not counted during a delivery`() {
        let owner = ScriptedOwner()
        owner.onMessage = { owner, _ in #expect(owner.countHeldBytes(10) == 0) }
        owner.receive("1\n")
        #expect(owner.countHeldBytes(10) == 10)
    }
}
