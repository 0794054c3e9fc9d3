import Testing

@testable import ViewModelServer

/// The connection's state machine between the socket and the peer.
@Suite struct ConnectionInputTests {
    // MARK: Delivering

    @Test func `all messages of a read are delivered, and reading goes on`() {
        let owner = ScriptedOwner()
        #expect(owner.receive("1\n2\n3\n")?.name == "read on")
        #expect(owner.delivered == ["1", "2", "3"])
    }

    @Test func `a line in two reads is one message, and its part is held meanwhile`() {
        let owner = ScriptedOwner()
        owner.receive("[1,")
        #expect(owner.countHeldBytes(0) == 3)
        owner.receive("2]\n")
        #expect(owner.countHeldBytes(0) == -3)
        #expect(owner.delivered == ["[1,2]"])
    }

    @Test func `messages with headers are delivered without them, and their replies have headers`() {
        let owner = ScriptedOwner()
        owner.onMessage = { owner, _ in owner.write("ok") }
        owner.receive("Content-Length: 2\r\n\r\n{}Content-Length: 0\r\n\r\n")
        #expect(owner.delivered == ["{}", "empty body"])
        #expect(owner.flush()?.text == "Content-Length: 2\r\n\r\nokContent-Length: 2\r\n\r\nok")
    }

    @Test func `a message above the limit is skipped, and the next one is delivered`() {
        let owner = ScriptedOwner(messageBytes: 4)
        owner.receive("12345")
        owner.receive("6\n7\n")
        #expect(owner.delivered == ["too large", "7"])
    }

    @Test func `another limit holds at once`() {
        let owner = ScriptedOwner()
        owner.write("1234567890")
        owner.state.adopt(.init(bufferBytes: 10, stall: .seconds(1)))
        #expect(owner.isFull)
    }

    // MARK: Turns

    @Test func `the rest of a read waits for a turn, with the bytes that follow it`() {
        let owner = ScriptedOwner()
        owner.turn = 2
        #expect(owner.receive("1\n2\n3\n4\n5")?.name == "wait for a turn")
        #expect(owner.receive("0\n") == nil)
        #expect(owner.countHeldBytes(0) == 7)
        #expect(owner.runTurn()?.name == "wait for a turn")
        #expect(owner.delivered == ["1", "2", "3", "4"])
        #expect(owner.runTurn()?.name == "resume")
        #expect(owner.delivered == ["1", "2", "3", "4", "50"])
        #expect(owner.countHeldBytes(0) == -7)
        #expect(owner.receive("6\n")?.name == "read on")
    }

    @Test func `an unfinished line at the end of a turn does not keep the connection from reading`() {
        let owner = ScriptedOwner()
        owner.turn = 1
        owner.receive("1\n2")
        #expect(owner.runTurn()?.name == "resume")
        #expect(owner.countHeldBytes(0) == 1)
    }

    @Test func `a turn without waiting bytes does nothing`() {
        let owner = ScriptedOwner()
        #expect(owner.runTurn() == nil)
    }

    @Test func `a batch waits for a turn, though all bytes are consumed`() {
        let owner = ScriptedOwner()
        owner.hold = .batch
        #expect(owner.receive("[]\n")?.name == "wait for a turn")
        #expect(owner.runTurn()?.name == "wait for a turn")
        owner.hold = .none
        #expect(owner.runTurn()?.name == "resume")
    }

    // MARK: Moves

    @Test func `messages wait for the end of a move, and then for a turn`() {
        let owner = ScriptedOwner()
        owner.hold = .move
        #expect(owner.receive("attach\nnext\n")?.name == "wait for the move")
        #expect(!owner.backlogShrank())
        owner.hold = .none
        #expect(owner.moved())
        #expect(!owner.moved(), "a connection is in the queue once")
        #expect(owner.runTurn()?.name == "resume")
        #expect(owner.delivered == ["attach", "next"])
    }

    @Test func `the end of a move means nothing to a connection that reads or waits for a turn`() {
        let owner = ScriptedOwner()
        #expect(!owner.moved())
        owner.turn = 1
        owner.receive("1\n2\n")
        #expect(!owner.moved())
    }

    @Test func `a move that begins before the turn takes the turn's place`() {
        let owner = ScriptedOwner()
        owner.turn = 1
        owner.receive("1\n2\n")
        owner.hold = .move
        #expect(owner.runTurn()?.name == "wait for the move")
        #expect(owner.moved())
    }

    @Test func `a batch that moves in its turn keeps the bytes behind it`() {
        let owner = ScriptedOwner()
        owner.hold = .batch
        owner.receive("[]\n2\n")
        guard case .resumeBatch = owner.state.turnBegins(.batch, at: .zero) else {
            Issue.record("the batch was not resumed")
            return
        }
        guard case .pause(.move) = owner.state.turnContinues(.move, at: .zero) else {
            Issue.record("the connection does not wait for the move")
            return
        }
        owner.hold = .none
        #expect(owner.moved())
        #expect(owner.runTurn()?.name == "resume")
        #expect(owner.delivered == ["[]", "2"])
    }

    // MARK: A large backlog

    @Test func `messages wait while the backlog is too large, and get a turn when it is sent`() {
        let owner = ScriptedOwner(bufferBytes: 10)
        owner.onMessage = { owner, _ in owner.write("a long reply") }
        #expect(owner.receive("1\n2\n")?.name == "wait for space")
        #expect(!owner.moved())
        #expect(!owner.backlogShrank())
        #expect(owner.flush()?.text == "a long reply\n")
        #expect(owner.backlogShrank())
        #expect(!owner.backlogShrank(), "a connection is in the queue once")
        #expect(owner.runTurn()?.name == "wait for space")
        #expect(owner.delivered == ["1", "2"])
    }

    @Test func `a connection that becomes full before its turn waits for space`() {
        let owner = ScriptedOwner(bufferBytes: 10)
        owner.turn = 1
        owner.receive("1\n2\n")
        owner.write("a long reply")
        #expect(owner.runTurn()?.name == "wait for space")
        #expect(owner.delivered == ["1"])
    }

    @Test func `a batch that fills the backlog in its turn keeps the bytes behind it`() {
        let owner = ScriptedOwner(bufferBytes: 10)
        owner.hold = .batch
        owner.receive("[]\n2\n")
        _ = owner.state.turnBegins(.batch, at: .zero)
        owner.write("a long reply")
        guard case .pause(.space) = owner.state.turnContinues(.none, at: .zero) else {
            Issue.record("the connection does not wait for space")
            return
        }
        #expect(owner.delivered == ["[]"])
    }

    @Test func `the backlog of the channel counts until the channel is writable`() {
        let owner = ScriptedOwner(bufferBytes: 10)
        #expect(owner.channelBacklogChanged(to: 11) == 11)
        #expect(owner.receive("1\n2\n")?.name == "wait for space")
        #expect(owner.channelBacklogChanged(to: 0) == -11)
        #expect(owner.backlogShrank())
    }

    // MARK: Stalls

    @Test func `a client that reads nothing for the whole limit is disconnected`() {
        let owner = ScriptedOwner(bufferBytes: 10, stall: .seconds(10))
        owner.channelBacklogChanged(to: 100)
        guard case .pause(.space(let watch)) = owner.receive("1\n2\n") else {
            Issue.record("the connection does not wait for space")
            return
        }
        #expect(watch.interval == .milliseconds(500))
        #expect(owner.stallCheck(channelBacklog: 100, at: .seconds(9)) == .checkAgain)
        #expect(owner.stallCheck(channelBacklog: 100, at: .seconds(10)) == .close)
    }

    @Test func `each byte that the client reads begins the limit again`() {
        let owner = ScriptedOwner(bufferBytes: 10, stall: .seconds(10))
        owner.channelBacklogChanged(to: 100)
        owner.receive("1\n2\n")
        #expect(owner.stallCheck(channelBacklog: 99, at: .seconds(9)) == .checkAgain)
        // More replies are no progress.
        #expect(owner.stallCheck(channelBacklog: 500, at: .seconds(18)) == .checkAgain)
        #expect(owner.stallCheck(channelBacklog: 400, at: .seconds(19)) == .close)
    }

    @Test func `a check after the wait means nothing`() {
        let owner = ScriptedOwner(bufferBytes: 10)
        #expect(owner.stallCheck(channelBacklog: 0, at: .seconds(99)) == .none)
        owner.channelBacklogChanged(to: 100)
        owner.receive("1\n2\n")
        owner.channelBacklogChanged(to: 0)
        #expect(owner.backlogShrank())
        #expect(owner.stallCheck(channelBacklog: 0, at: .seconds(99)) == .none)
    }

    @Test func `checks are at least 50 ms apart`() {
        #expect(StallWatch(backlog: 0, limit: .milliseconds(100), at: .zero).interval == .milliseconds(50))
    }

    // MARK: The end of the input

    @Test func `a half-close in a line ends the line, and then the input`() {
        let owner = ScriptedOwner()
        owner.receive("1\n2")
        owner.state.inputClosed()
        #expect(owner.endInput() == .receiveLineFeed)
        owner.receive("\n")
        #expect(owner.delivered == ["1", "2"])
        #expect(owner.endInput() == .report)
        #expect(owner.endInput() == .none)
    }

    @Test func `a half-close between two lines ends the input`() {
        let owner = ScriptedOwner()
        #expect(owner.endInput() == .none)
        owner.receive("1\n")
        owner.state.inputClosed()
        #expect(owner.endInput() == .report)
        #expect(owner.receive("2\n") == nil)
        #expect(owner.delivered == ["1"])
    }

    @Test func `a half-close in a message with headers drops the message`() {
        let owner = ScriptedOwner()
        owner.receive("Content-Length: 2\r\n\r\n{")
        owner.countHeldBytes(0)
        owner.state.inputClosed()
        #expect(owner.endInput() == .report)
        #expect(owner.countHeldBytes(0) == -1)
        #expect(owner.delivered.isEmpty)
    }

    @Test func `a half-close in a line above the limit adds no message`() {
        let owner = ScriptedOwner(messageBytes: 2)
        owner.receive("1234")
        owner.state.inputClosed()
        #expect(owner.endInput() == .report)
        #expect(owner.delivered == ["too large"])
    }

    @Test func `a half-close waits for the messages before it`() {
        let owner = ScriptedOwner()
        owner.turn = 1
        owner.receive("1\n2")
        owner.state.inputClosed()
        #expect(owner.endInput() == .none)
        owner.runTurn()
        #expect(owner.endInput() == .receiveLineFeed)
        owner.hold = .move
        #expect(owner.receive("\n")?.name == "wait for the move")
        #expect(owner.endInput() == .none)
        owner.hold = .none
        #expect(owner.moved())
        #expect(owner.runTurn()?.name == "resume")
        #expect(owner.endInput() == .report)
        #expect(owner.delivered == ["1", "2"])
    }
}
