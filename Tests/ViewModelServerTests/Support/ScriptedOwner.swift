import Foundation
import JSONRPC

@testable import Scenarios
@testable import ViewModelServer

/// The owner of a connection's state machine, without a channel: it keeps what it would pass on.
final class ScriptedOwner {
    var state: ConnectionStateMachine
    var framing: MessageFraming
    /// The delivered messages, and the names of the framing's other events.
    private(set) var delivered: [String] = []
    /// What the peer waits for.
    var hold: ConnectionStateMachine.Wait?
    var now = Duration.zero
    /// The number of messages in a turn.
    var turn = Int.max
    /// Runs after each message.
    var onMessage: (ScriptedOwner, String) -> Void = { _, _ in }

    init(messageBytes: Int = 1000, bufferBytes: Int = 100_000, stall: Duration = .seconds(10), isOpen: Bool = true) {
        state = ConnectionStateMachine(
            limits: .init(bufferBytes: bufferBytes, stall: stall)
        )
        framing = MessageFraming(maximumMessageBytes: messageBytes)
        if isOpen { state.opened() }
    }

    /// Passes bytes to the state machine, and delivers their messages.
    ///
    /// - Returns: what happens to the socket; nil if the bytes were not delivered.
    @discardableResult
    func receive(_ text: String) -> ConnectionStateMachine.ReadAction? { receive(Array(text.utf8)) }

    @discardableResult
    func receive(_ bytes: [UInt8]) -> ConnectionStateMachine.ReadAction? {
        bytes.withUnsafeBytes { bytes in
            framing.determineMode(from: bytes)
            guard state.received(bytes, isHeaderFramed: framing.mode == .header) else { return nil }
            var count = 0
            let consumed = framing.consume(bytes) { event in
                count += 1
                let name = Self.name(of: event)
                delivered.append(name)
                onMessage(self, name)
                return state.canDeliver && hold == nil && count < turn ? .proceed : .pause
            }
            return state.delivered(consumed, of: bytes, buffered: framing.bufferedBytes, hold, at: now)
        }
    }

    private static func name(of event: MessageFraming.Event) -> String {
        switch event {
        case .message(let bytes): String(decoding: bytes, as: UTF8.self)
        case .tooLarge: "too large"
        case .malformedHeader: "malformed header"
        case .emptyBody: "empty body"
        }
    }

    /// Gives the connection its turn, without a batch.
    @discardableResult
    func runTurn() -> ConnectionStateMachine.ReadAction? {
        switch state.turnBegins(hold, at: now) {
        case .none: return nil
        case .resumeBatch: break
        case let action: return action
        }
        switch state.turnContinues(hold, at: now) {
        case .none: return nil
        case .receive(let rest): return receive(rest)
        case let action: return action
        }
    }

    /// Writes a message of this text.
    @discardableResult
    func write(_ text: String) -> ConnectionStateMachine.WriteAction {
        state.write({ $0.raw(Array(text.utf8)) }, into: [])
    }

    /// Writes a line that other connections share.
    func write(shared text: String) -> ConnectionStateMachine.WriteAction {
        state.write(shared: Array(text.utf8))
    }

    /// Bytes that are sent.
    struct Sent {
        let text: String
        let isDirect: Bool
        let isShared: Bool

        init(_ outgoing: borrowing ConnectionStateMachine.Outgoing) {
            text = String(decoding: outgoing.bytes, as: UTF8.self)
            isDirect = outgoing.isDirect
            isShared = outgoing.isShared
        }
    }

    /// Returns the bytes of a flush.
    func flush() -> Sent? {
        if let outgoing = state.flush() { Sent(outgoing) } else { nil }
    }

    /// Returns the last bytes, if there are any; nil if the connection ends already.
    func finish() -> [Sent]? {
        guard !state.isOver else { return nil }
        return if let last = state.finish() { [Sent(last)] } else { [] }
    }

    // MARK: Events and facts without a part for the owner

    var isReady: Bool { state.isReady }
    var isFull: Bool { state.isFull }
    var canShare: Bool { state.canShare }
    var heldBytes: Int { state.heldBytes }

    func moved() -> Bool { state.moved() }
    func backlogShrank() -> Bool { state.backlogShrank() }
    func endInput() -> ConnectionStateMachine.InputEndAction {
        state.endInput(isInLine: framing.mode == .lines && framing.bufferedBytes > 0)
    }

    func lagDeadline() -> Bool { state.lagDeadline() }
    func channelWriteEnded(isSuccess: Bool) -> Bool { state.channelWriteEnded(isSuccess: isSuccess) }

    @discardableResult
    func countHeldBytes(_ peerBytes: Int) -> Int { state.countHeldBytes(peerBytes) }

    @discardableResult
    func channelBacklogChanged(to bytes: Int) -> Int { state.channelBacklogChanged(to: bytes) }

    @discardableResult
    func writabilityChanged(to isWritable: Bool, at now: Duration) -> ConnectionStateMachine.WritabilityAction {
        state.writabilityChanged(to: isWritable, at: now)
    }

    /// Checks a client that does not read; returns what happens to it.
    func stallCheck(channelBacklog: Int, at now: Duration) -> String {
        if state.isStalled(channelBacklog: channelBacklog, at: now) { return "close" }
        return state.stall == nil ? "none" : "checkAgain"
    }
}

extension ConnectionStateMachine.ReadAction {
    /// A word for this action.
    var name: String {
        switch self {
        case .none: "read on"
        case .resume: "resume"
        case .pause(.turn): "wait for a turn"
        case .pause(.move): "wait for the move"
        case .pause(.space): "wait for space"
        case .resumeBatch, .receive: "turn"
        }
    }
}

// MARK: - Steps of a table

extension ScriptedOwner {
    private static let budget = String(repeating: "x", count: ConnectionStateMachine.frameBudget)

    /// Creates the owner that a scenario begins with: `with message 4`, `with buffer 10`, `with closed channel`.
    convenience init(_ scenario: Scenario) {
        func number(_ name: String) -> Int? {
            scenario.steps.first { $0.text.hasPrefix("with \(name) ") }.flatMap { Int($0.words[2]) }
        }
        let isOpen = !scenario.steps.contains { $0.text == "with closed channel" }
        self.init(messageBytes: number("message") ?? 1000, bufferBytes: number("buffer") ?? 100_000, isOpen: isOpen)
    }

    /// Does a step of a table, and returns what came of it.
    func perform(_ step: String) throws -> String {
        let words = step.split(separator: " ").map(String.init)
        let text = words.dropFirst().joined(separator: " ").replacing("\\n", with: "\n").replacing("\\r", with: "\r")
            .replacing("BUDGET", with: Self.budget)
        let number = Int(words.dropFirst().first ?? "") ?? 0
        let time = Duration.seconds(Int(words.last ?? "") ?? 0)
        switch words[0] {
        case "with": return ""
        case "turn": turn = number
        case "waits": hold = text == "batch" ? .turn : text == "move" ? .move : nil
        case "replies": onMessage = { owner, _ in owner.write(text) }
        case "finishes": onMessage = { owner, _ in _ = owner.finish() }
        case "breaks": onMessage = { owner, _ in owner.state.closed() }
        case "limits": state.adopt(.init(bufferBytes: number, stall: .seconds(1)))
        case "receive": return receive(text)?.name ?? "nothing"
        case "run": return runTurn()?.name ?? "nothing"
        case "delivered": return delivered.isEmpty ? "nothing" : delivered.joined(separator: " | ")
        case "held": return "\(countHeldBytes(number))"
        case "moved": return "\(moved())"
        case "shrank": return "\(backlogShrank())"
        case "write": return "\(write(text))"
        case "share": return "\(write(shared: text))"
        case "flush": return flush().map(Self.description) ?? "nothing"
        case "finish": return finish().map { $0.first.map(Self.description) ?? "empty" } ?? "nothing"
        case "input": state.inputClosed()
        case "end": return "\(endInput())"
        case "backlog": return "\(channelBacklogChanged(to: number))"
        case "lags": return "\(writabilityChanged(to: false, at: time))"
        case "catches": return "\(writabilityChanged(to: true, at: time))"
        case "late": return "\(lagDeadline())"
        case "check": return stallCheck(channelBacklog: number, at: time)
        case "opens": state.opened()
        case "closes": state.closed()
        case "begins": state.channelWriteBegan()
        case "ends": return "\(channelWriteEnded(isSuccess: text != "badly"))"
        case "ready": return "\(isReady)"
        case "full": return "\(isFull)"
        case "shares": return "\(canShare)"
        default: throw UnknownStep(step: step)
        }
        return ""
    }

    /// A step that no connection can do.
    struct UnknownStep: Error {
        let step: String
    }

    private static func description(of sent: Sent) -> String {
        let way = (sent.isDirect ? "direct" : "channel") + (sent.isShared ? ", shared" : "")
        // A carriage return and a line feed are one character.
        let escapes = [(Self.budget, "BUDGET"), ("\r\n", "\\r\\n"), ("\n", "\\n")]
        let text = escapes.reduce(sent.text) { $0.replacing($1.0, with: $1.1) }
        return "\(way): \(text)"
    }
}
