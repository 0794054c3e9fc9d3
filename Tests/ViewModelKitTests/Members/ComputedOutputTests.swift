import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `Computed outputs that read each other` {
    @Test func `are computed once a step in a chain and in a diamond`() throws {
        let harness = try Harness(Doubling.self) { _ in Doubling() }
        let chain = harness.viewModel
        #expect(try harness.read(\.outputs.e) == 16)
        #expect(chain.runs == ["a": 1, "b": 1, "c": 1, "d": 1, "e": 1, "sum": 1])
        try harness.send(\.inputs.n, 2)
        #expect(try harness.read(\.outputs.e) == 32)
        #expect(try harness.read(\.outputs.sum) == 2 + 4 + 8)
        #expect(chain.runs == ["a": 2, "b": 2, "c": 2, "d": 2, "e": 2, "sum": 2])
        // A value that stays the same computes nothing that follows from it.
        try harness.send(\.inputs.n, 2)
        #expect(chain.runs["a"] == 2)
    }

    @Test func `are read by helpers, by lists, by conditions and beside names of the same spelling`() throws {
        let harness = try Harness(Stock.self) { _ in Stock() }
        let stock = harness.viewModel
        #expect(try !harness.isEnabled(\.actions.order))
        try harness.send(\.inputs.count, 3)
        #expect(try harness.isEnabled(\.actions.order))
        #expect(try harness.read(\.outputs.label) == "3 parts, 3 and 3")
        #expect(try harness.read(\.outputs.local) == 4)
        #expect(try harness.read(\.outputs.parts).map(\.id) == [0, 1, 2])
        #expect(try harness.read(\.outputs.even).map(\.id) == [0, 2])
        #expect(stock.counted == 2)
    }

    @Test func `may be sampled while another one holds`() throws {
        let harness = try Harness(Turntable.self)
        #expect(try harness.read(\.outputs.label) == "0 s")
        try harness.send(\.inputs.speed, 33)
        harness.advance(by: .seconds(3))
        #expect(try harness.read(\.outputs.label) == "3 s")
        try harness.send(\.inputs.speed, 0)
        harness.advance(by: .seconds(3))
        #expect(try harness.read(\.outputs.label) == "3 s")
    }

    @Test func `have the names of methods and of local names`() throws {
        let harness = try Harness(Titled.self)
        #expect(try harness.read(\.outputs.line) == "[a] a [b]")
        #expect(try harness.read(\.outputs.short) == "[a]!")
        #expect(try harness.read(\.outputs.words) == "[a] [c]")
        #expect(try harness.read(\.outputs.error) == "Refusal()")
    }
}

/// A position that is sampled while an output, or a property that reads one, holds.
@ViewModel
private final class Turntable {
    @Field var speed = 0
    @Output var isPlaying: Bool { speed > 0 }
    @Output var state: String { isPlaying ? "on" : "off" }
    @Output(every: .seconds(1), while: \Turntable.isPlaying) var position: Int { seconds }
    @Output(every: .seconds(1), while: \Turntable.isOn) var turns: Int { seconds }
    @Output var label: String { "\(position) s" }
    @Output var more: String { "\(turns) turns, \(state)" }

    private var seconds: Int { Int((clock.now - opened) / .seconds(1)) }
    private var isOn: Bool { state == "on" }
    private let clock: SessionClock
    private let opened: Duration

    init(clock: SessionClock) {
        self.clock = clock
        opened = clock.now
    }
}

private struct Refusal: Error {}

/// Outputs that have the names of methods, and of names that Swift declares.
@ViewModel
private final class Titled {
    @Field var name = "a"

    private func title(of text: String) -> String { "[\(text)]" }

    @Output var title: String { title(of: name) }
    @Output var line: String { "\(title) \(name) \(title(of: "b"))" }
    @Output var short: String { "\(self.title)!" }
    @Output var words: String { "\(heading) \(self.title(of: "c"))" }
    @Output var error: String? {
        do {
            try refuse()
            return nil
        } catch {
            return "\(error)"
        }
    }
    @Output var hasError: Bool { error != nil }

    private var heading: String { title }

    private func refuse() throws { throw Refusal() }
}

/// Each output after the first reads the one before it twice.
@ViewModel
final class Doubling {
    @Field var n = 1
    @Output var a: Int {
        runs["a", default: 0] += 1
        return n
    }
    @Output var b: Int { count("b", a + a) }
    @Output var c: Int { count("c", b + self.b) }
    @Output var d: Int { count("d", c + c) }
    @Output var e: Int { count("e", d + d) }
    @Output var sum: Int {
        runs["sum", default: 0] += 1
        let b = b
        return [a, b, self.c].reduce(0) { $0 + $1 }
    }

    let counter = Runs()
    var runs: [String: Int] {
        get { counter.runs }
        set { counter.runs = newValue }
    }

    private func count(_ name: String, _ value: Int) -> Int {
        runs[name, default: 0] += 1
        return value
    }
}

/// The number of computations of each output.
final class Runs {
    var runs: [String: Int] = [:]
}

@ViewModel
final class Stock {
    struct Part: Identifiable, Equatable { let id: Int }
    @Schemable struct Row: Identifiable { let id: Int }

    @Field var count = 0
    /// The number of parts, and of its computations.
    @Output var number: Int {
        counter.runs["number", default: 0] += 1
        return count
    }
    @Output var label: String { "\(number) parts, \(words(for: number))" }
    @Output var local: Int {
        if let first = [4].first(where: { number in number > self.number }) {
            let number = first
            return number
        }
        return number
    }
    @Rows(of: Row.init(part:)) var parts: [Part] { (0..<number).map(Part.init) }
    @Rows(of: Row.init(part:)) var even: [Part] { parts.filter { $0.id.isMultiple(of: 2) } }

    let counter = Runs()
    var counted: Int { counter.runs["number", default: 0] }

    private var hasParts: Bool { number > 0 }
    private func words(for value: Int) -> String { hasParts ? "\(value) and \(self.number)" : "none" }

    @Action(enabled: \Stock.hasParts) func order() {}
}

extension Stock.Row {
    init(part: Stock.Part) { self.init(id: part.id) }
}
