import Testing
import ViewModelKit
import ViewModelTesting

/// A text that is looked up when it is typed.
@ViewModel
final class Typing {
    /// The typed text.
    @Field var text = ""
    /// A text that is not looked up.
    @Field var note = ""
    /// The texts that were looked up.
    @Output private(set) var found: [String] = []

    private var length: Int { text.count }
    /// The number of the changes of the length.
    @Output private(set) var lengths = 0

    init() {
        debounce(\.text, for: .milliseconds(500)) { $0.look() }
        debounce(\.length, for: .seconds(1)) { $0.lengths += 1 }
    }

    private func look() { found.append(text) }

    /// Writes the text twice in one step.
    @Input func retype(_ text: String) {
        self.text = ""
        self.text = text
    }
}

@Suite struct `A property that is debounced` {
    private let typing: Harness<Typing>

    init() throws {
        typing = try Harness(Typing.self)
    }

    @Test func `calls the closure in a step of its own, an interval after the last change`() throws {
        try typing.send(\.inputs.text, "a")
        typing.advance(by: .milliseconds(499))
        try typing.send(\.inputs.text, "ab")
        typing.advance(by: .milliseconds(499))
        #expect(try typing.read(\.outputs.found) == [])
        let frames = typing.frames { typing.advance(by: .milliseconds(1)) }
        #expect(frames.map(\.outputs) == [["found"]])
        #expect(try typing.read(\.outputs.found) == ["ab"])
        typing.advance(by: .seconds(5))
        #expect(try typing.read(\.outputs.found) == ["ab"])
    }

    @Test func `ignores other properties, equal values, and the value from the beginning`() throws {
        typing.advance(by: .seconds(5))
        try typing.send(\.inputs.note, "x")
        try typing.send(\.inputs.text, "")
        try typing.send(\.inputs.retype, "")
        typing.advance(by: .seconds(5))
        #expect(try typing.read(\.outputs.found) == [])
        try typing.send(\.inputs.retype, "y")
        typing.advance(by: .seconds(5))
        #expect(try typing.read(\.outputs.found) == ["y"])
    }

    @Test func `may be computed`() throws {
        try typing.send(\.inputs.text, "a")
        typing.advance(by: .milliseconds(900))
        try typing.send(\.inputs.text, "b")
        typing.advance(by: .milliseconds(100))
        #expect(try typing.read(\.outputs.lengths) == 1)
    }

    @Test func `calls nothing after the end of the ViewModel`() throws {
        try typing.send(\.inputs.text, "a")
        try typing.client.request("viewModel.close", ["id": "typing"])
        typing.advance(by: .seconds(5))
        #expect(typing.session.incidents == [])
    }
}
