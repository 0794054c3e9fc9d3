import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

/// Shows what a service tells, as it is or what a closure makes of it.
@ViewModel
final class Follower {
    struct Outputs {
        let latest: Output<Int>
    }
    let outputs: Outputs

    init(_ numbers: some AsyncSequence<Int, any Error> & Sendable, _ convert: ((Int) -> Int?)? = nil) {
        let latest = Cell(0)
        if let convert { latest.follow(numbers, convert) } else { latest.follow(numbers) }
        outputs = Outputs(latest: Output(latest))
    }
}

@Suite struct `A cell that follows a service` {
    private let continuation: AsyncThrowingStream<Int, any Error>.Continuation
    private let harness: Harness<Follower>

    init() throws {
        let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
        self.continuation = continuation
        harness = try Harness(Follower.self) { _ in Follower(stream) }
    }

    @Test func `shows each value in a step of its own`() throws {
        continuation.yield(1)
        continuation.yield(2)
        #expect(harness.frames.map(\.values) == [["latest": 1], ["latest": 2]])
        #expect(try harness.read(\.outputs.latest) == 2)
    }

    @Test func `shows the results of a closure, and ignores values without one`() throws {
        let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
        let harness = try Harness(Follower.self) { _ in
            Follower(stream) { $0.isMultiple(of: 2) ? 10 * $0 : nil }
        }
        harness.session.runUntilIdle()
        for number in [2, 3, 4] { continuation.yield(number) }
        #expect(harness.frames.map(\.values) == [["latest": 20], ["latest": 40]])
    }

    @Test func `stays at the last value when the service ends or fails`() throws {
        continuation.yield(1)
        continuation.finish(throwing: UnexpectedError())
        #expect(try harness.read(\.outputs.latest) == 1)
    }

    @Test func `lets the service go when the ViewModel is closed`() throws {
        let isTerminated = Effect<Void, Void>()
        continuation.onTermination = { _ in Task { try await isTerminated() } }
        harness.session.runUntilIdle()
        try harness.client.request("viewModel.close", ["id": "follower"])
        continuation.yield(5)
        #expect(harness.frames == [])
        guard case .terminated = continuation.yield(6) else {
            Issue.record("the stream is still followed")
            return
        }
    }
}

/// Shows the even numbers that a service tells as rows.
@ViewModel
final class ListFollower {
    struct Outputs {
        let rows: ListOutput<Row>
        let same: ListOutput<Row>
    }
    let outputs: Outputs

    init(_ numbers: some AsyncSequence<Int, any Error> & Sendable) {
        let rows = ListCell<Row>()
        rows.follow(numbers) { last in
            last.isMultiple(of: 2) ? (0..<last).map { Row(id: $0, text: "\($0)") } : nil
        }
        outputs = Outputs(rows: ListOutput(rows), same: ListOutput(rows))
    }
}

@Suite struct `A list that follows a service` {
    @Test func `shows what is made of each value, and ignores what gives no rows`() throws {
        let (stream, continuation) = AsyncThrowingStream<Int, any Error>.makeStream()
        let harness = try Harness(ListFollower.self) { _ in ListFollower(stream) }
        harness.session.runUntilIdle()
        for number in [2, 3, 4] { continuation.yield(number) }
        #expect(harness.frames.count == 2)
        #expect(try harness.read(\.outputs.rows).map(\.id) == [0, 1, 2, 3])
        #expect(try harness.read(\.outputs.same).map(\.id) == [0, 1, 2, 3])
        continuation.finish(throwing: UnexpectedError())
        #expect(try harness.read(\.outputs.rows).map(\.id) == [0, 1, 2, 3])
    }
}

/// Shows both kinds of events of one stream.
@ViewModel
private final class Chat {
    @Output private(set) var text = ""
    @Output private(set) var count = 0
    @Output var words: Int { counter.words }
    private let counter: WordCounter

    init(stream: AsyncStream<String>, counter: WordCounter) {
        self.counter = counter
        follow(stream) { $0.apply($1) }
    }

    private func apply(_ event: String) {
        text = event
        count += 1
    }
}

/// A model that follows the same stream.
@SharedModel
private final class WordCounter {
    @State private(set) var words = 0

    init(stream: AsyncStream<String>) {
        follow(stream) { $0.words += $1.split(separator: " ").count }
    }
}

@Suite struct `An object that follows a service` {
    @Test func `writes several properties in the step of a value`() throws {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let harness = try Harness(Chat.self) { _ in
            Chat(stream: stream, counter: WordCounter(stream: AsyncStream { nil }))
        }
        harness.session.runUntilIdle()
        continuation.yield("hello")
        continuation.yield("hello again")
        #expect(harness.frames.map(\.values) == [["text": "hello", "count": 1], ["text": "hello again", "count": 2]])
    }

    @Test func `may be a shared model`() throws {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let harness = try Harness(Chat.self) { context in
            Chat(stream: AsyncStream { nil }, counter: context.shared { WordCounter(stream: stream) })
        }
        harness.session.runUntilIdle()
        continuation.yield("hello again")
        #expect(try harness.read(\.outputs.words) == 2)
    }

    @Test func `is released when its instance is closed`() throws {
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let harness = try Harness(Chat.self) { _ in
            Chat(stream: stream, counter: WordCounter(stream: AsyncStream { nil }))
        }
        try harness.client.request("viewModel.open", ["type": "chat", "id": "other"])
        weak let chat: Chat? = try harness.client.viewModel("other")
        #expect(chat != nil)
        try harness.client.request("viewModel.close", ["id": "other"])
        continuation.yield("too late")
        harness.session.runUntilIdle()
        #expect(chat == nil)
    }
}

/// A model that checks a draft which has been left alone.
@SharedModel
private final class Draft {
    @State var text = ""
    @State private(set) var checks: [String] = []
    @State private(set) var lengths: [Int] = []
    private var length: Int { text.count }

    init() {
        onChange(of: \.text, after: .seconds(1)) { $0.checks.append($0.text) }
        onChange(of: \.length) { $0.lengths.append($0.length) }
    }
}

@ViewModel
private final class Desk {
    @Output var checks: [String] { draft.checks }
    @Output var lengths: [Int] { draft.lengths }
    private let draft: Draft

    @Input func write(_ text: String) { draft.text = text }
}

@Suite struct `A shared model` {
    @Test func `reacts to a change in a step of its own, or when the value has been left alone`() throws {
        let desk = try Harness(Desk.self)
        try desk.send(\.inputs.write, "a")
        try desk.send(\.inputs.write, "b")
        #expect(desk.frames.map(\.values) == [["lengths": [1]]])
        desk.advance(by: .milliseconds(999))
        #expect(try desk.read(\.outputs.checks) == [])
        desk.advance(by: .milliseconds(1))
        #expect(try desk.read(\.outputs.checks) == ["b"])
    }
}
