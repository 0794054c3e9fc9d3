import JSONRPC
import Testing

@testable import ViewModelServer

/// The connection's state machine between the peer and the socket, and its end.
@Suite struct ConnectionOutputTests {
    private let budget = ConnectionStateMachine.frameBudget

    // MARK: Writing

    @Test func `messages are flushed together at the end of a burst`() {
        let owner = ScriptedOwner()
        #expect(owner.write("1") == .flushLater)
        #expect(owner.write("2") == .none)
        #expect(owner.flush()?.text == "1\n2\n")
        #expect(owner.flush() == nil)
        #expect(owner.write("3") == .flushLater)
    }

    @Test func `a backlog above the budget is flushed at once, and defers frames until then`() {
        let owner = ScriptedOwner()
        #expect(owner.isReady)
        #expect(owner.write(String(repeating: "x", count: budget)) == .flush)
        #expect(!owner.isReady)
        #expect(owner.flush()?.text.count == budget + 1)
        #expect(owner.isReady)
    }

    @Test func `a shared line is sent as it is, and copied only for the next message`() {
        let owner = ScriptedOwner()
        #expect(owner.canShare)
        #expect(owner.write(shared: "frame\n") == .flushLater)
        #expect(!owner.canShare)
        #expect(owner.write("reply") == .none)
        let outgoing = owner.flush()
        #expect(outgoing?.isShared == true)
        #expect(outgoing?.text == "frame\nreply\n")
        owner.write("own")
        #expect(owner.flush()?.isShared == false)
    }

    @Test func `a client that does not read the last messages is given up`() {
        let limit = Duration.seconds(1)
        var state = ConnectionStateMachine(limits: .init(bufferBytes: 1000, stall: limit))
        state.opened()
        #expect(state.watchEnd(channelBacklog: 100, at: .zero) == nil)
        _ = state.finish()
        #expect(state.watchEnd(channelBacklog: 0, at: .zero) == nil)
        #expect(state.watchEnd(channelBacklog: 100, at: .zero) != nil)
        #expect(state.stallCheck(channelBacklog: 100, at: limit / 2) == .checkAgain)
        #expect(state.stallCheck(channelBacklog: 99, at: limit) == .checkAgain)
        #expect(state.stallCheck(channelBacklog: 99, at: limit * 3) == .close)
    }

    @Test func `a line is not shared with a client that wants headers`() {
        let owner = ScriptedOwner()
        owner.receive("Content-Length: 2\r\n\r\n{}")
        #expect(!owner.canShare)
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

    // MARK: Around the channel

    @Test func `bytes go around the channel only while it is active and has no write in flight`() {
        let owner = ScriptedOwner(isOpen: false)
        owner.write("1")
        #expect(owner.flush()?.isDirect == false)
        owner.state.opened()
        owner.write("2")
        #expect(owner.flush()?.isDirect == true)
        owner.state.channelWriteBegan()
        owner.write("3")
        #expect(owner.flush() == nil)
        #expect(owner.channelWriteEnded(isSuccess: true))
        #expect(owner.flush()?.isDirect == true)
    }

    @Test func `behind a write in flight, bytes are collected up to the budget`() {
        let owner = ScriptedOwner()
        owner.state.channelWriteBegan()
        owner.write("1")
        #expect(owner.flush() == nil)
        #expect(owner.write(String(repeating: "x", count: budget)) == .flush)
        #expect(owner.flush()?.isDirect == false)
        owner.state.channelWriteBegan()
        #expect(!owner.channelWriteEnded(isSuccess: true), "another write is in flight")
        #expect(owner.channelWriteEnded(isSuccess: true))
    }

    @Test func `after a failed write nothing is sent`() {
        let owner = ScriptedOwner()
        owner.state.channelWriteBegan()
        #expect(!owner.channelWriteEnded(isSuccess: false))
    }

    // MARK: Slow clients

    @Test func `a channel that is not writable defers frames`() {
        let owner = ScriptedOwner()
        #expect(owner.writabilityChanged(to: false, at: .zero) == .watchLag)
        #expect(!owner.isReady)
        #expect(owner.writabilityChanged(to: true, at: .seconds(1)) == .ready(afterLag: nil))
        #expect(owner.isReady)
    }

    @Test func `a channel whose writability flaps is watched once, and from the last time on`() {
        let owner = ScriptedOwner()
        #expect(owner.writabilityChanged(to: false, at: .zero) == .watchLag)
        #expect(owner.writabilityChanged(to: false, at: .seconds(1)) == .none)
        owner.writabilityChanged(to: true, at: .seconds(2))
        #expect(!owner.lagDeadline(), "the client has caught up")
        #expect(owner.writabilityChanged(to: true, at: .seconds(2)) == .ready(afterLag: nil))
        #expect(owner.writabilityChanged(to: false, at: .seconds(3)) == .watchLag)
        #expect(owner.lagDeadline())
        #expect(owner.writabilityChanged(to: true, at: .seconds(10)) == .ready(afterLag: .seconds(7)))
    }

    // MARK: Held bytes

    @Test func `the peer's bytes, the kept input and the channel's backlog are counted`() {
        let owner = ScriptedOwner()
        owner.turn = 1
        owner.receive("1\n23\n")
        owner.channelBacklogChanged(to: 100)
        #expect(owner.countHeldBytes(10) == 113)
        #expect(owner.heldBytes == 113)
        #expect(owner.countHeldBytes(4) == -6)
        owner.state.closed()
        #expect(owner.countHeldBytes(4) == -107)
    }

    @Test func `bytes are not counted during a delivery`() {
        let owner = ScriptedOwner()
        owner.onMessage = { owner, _ in #expect(owner.countHeldBytes(10) == 0) }
        owner.receive("1\n")
        #expect(owner.countHeldBytes(10) == 10)
    }

    // MARK: The end

    @Test func `finishing sends the unsent bytes behind those in flight, once`() {
        let owner = ScriptedOwner()
        owner.state.channelWriteBegan()
        owner.write("last words")
        #expect(owner.finish()?.map(\.text) == ["last words\n"])
        #expect(owner.finish() == nil)
        #expect(!owner.isReady)
    }

    @Test func `finishing without unsent bytes closes all the same`() {
        let owner = ScriptedOwner()
        #expect(owner.finish()?.isEmpty == true)
    }

    @Test func `messages and bytes after the finish are dropped`() {
        let owner = ScriptedOwner()
        owner.turn = 1
        owner.receive("1\n2\n")
        _ = owner.finish()
        #expect(owner.write("late") == .none)
        #expect(!owner.canShare)
        #expect(owner.flush() == nil)
        #expect(owner.receive("3\n") == nil)
        #expect(owner.runTurn() == nil)
        #expect(owner.countHeldBytes(0) == 0)
        #expect(owner.delivered == ["1"])
    }

    @Test func `finishing in a delivery ends it`() {
        let owner = ScriptedOwner()
        owner.onMessage = { owner, _ in _ = owner.finish() }
        #expect(owner.receive("1\n2\n")?.name == "read on")
        #expect(owner.receive("3\n") == nil)
        #expect(owner.delivered == ["1"])
    }

    @Test func `a malformed header is the last event of a connection`() {
        let owner = ScriptedOwner()
        owner.onMessage = { owner, _ in
            owner.write("error")
            _ = owner.finish()
        }
        owner.receive("Content-Length: x\r\n\r\n{}")
        #expect(owner.receive("Content-Length: 2\r\n\r\n{}") == nil)
        #expect(owner.delivered == ["malformed header"])
    }

    @Test func `a channel that ends during a delivery gets no more messages`() {
        let owner = ScriptedOwner()
        owner.onMessage = { owner, _ in owner.state.closed() }
        #expect(owner.receive("1\n2\n")?.name == "read on")
        #expect(owner.delivered == ["1"])
        #expect(owner.countHeldBytes(100) == 0)
    }

    @Test(arguments: [ConnectionStateMachine.PeerWait.none, .move])
    func `a channel that ends while messages wait gets no turn`(hold: ConnectionStateMachine.PeerWait) {
        let owner = ScriptedOwner()
        owner.turn = 1
        owner.hold = hold
        owner.receive("1\n2\n")
        owner.state.closed()
        #expect(!owner.moved())
        #expect(!owner.backlogShrank())
        #expect(owner.runTurn() == nil)
        #expect(owner.endInput() == .none)
    }

    @Test func `all events after the end mean nothing`() {
        let owner = ScriptedOwner()
        owner.write("unsent")
        owner.writabilityChanged(to: false, at: .zero)
        owner.state.closed()
        owner.state.opened()
        owner.state.inputClosed()
        #expect(owner.flush() == nil)
        #expect(owner.write("late") == .none)
        #expect(owner.finish() == nil)
        #expect(owner.receive("1\n") == nil)
        #expect(owner.endInput() == .none)
        #expect(owner.channelBacklogChanged(to: 5) == 0)
        #expect(!owner.lagDeadline())
        #expect(owner.writabilityChanged(to: true, at: .zero) == .none)
        #expect(owner.stallCheck(channelBacklog: 0, at: .seconds(99)) == .none)
        #expect(!owner.isReady)
    }
}
