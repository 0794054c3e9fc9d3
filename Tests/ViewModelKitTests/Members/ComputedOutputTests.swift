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

    @Test func `are computed once a step in a chain of thirty, also if an input reads the kept value`() throws {
        let harness = try Harness(Ladder.self)
        #expect(try harness.read(\.outputs.x29) == 1 << 29)
        try harness.send(\.inputs.n, 2)
        #expect(try harness.read(\.outputs.x29) == 1 << 30)
        #expect(harness.viewModel.counter.runs == Runs.each(of: 30, 2))
        try harness.send(\.inputs.keep)
        #expect(try harness.read(\.outputs.kept) == 1 << 30)
        #expect(harness.viewModel.counter.runs == Runs.each(of: 30, 2))
    }

    @Test func `are computed once a step in a diamond of thirty`() throws {
        let harness = try Harness(Diamond.self)
        try harness.send(\.inputs.n, 2)
        #expect(try harness.read(\.outputs.x29) == 28 * 2 + 28 * 29 / 2)
        #expect(harness.viewModel.counter.runs == Runs.each(of: 30, 2))
    }

    @Test func `are computed once a step if a parent reads the outputs of a child, which read a shared model`() throws {
        let harness = try Harness(Parent.self)
        #expect(try harness.read(\.outputs.both) == 4)
        try harness.send(\.inputs.set, 2)
        #expect(try harness.read(\.outputs.both) == 8)
        #expect(harness.viewModel.leaf.counter.runs == ["single": 2, "double": 2])
        #expect(harness.viewModel.counter.runs == ["sum": 2, "both": 2])
    }

    @Test func `that read each other through an extension by their kept values end their session`() throws {
        let harness = try Harness(Round.self)
        let error = try #require(throws: HarnessError.self) { try harness.send(\.inputs.isClosed, true) }
        #expect("\(error)".contains("round.here"), "\(error)")
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

    func count(_ name: String, _ value: Int) -> Int {
        runs[name, default: 0] += 1
        return value
    }

    /// Returns the counts of outputs that were computed equally often.
    static func each(of outputs: Int, _ count: Int) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (0..<outputs).map { ("\($0)", count) })
    }
}

/// Each output after the first reads the one before it twice.
@ViewModel
private final class Ladder {
    let counter = Runs()
    private func count(_ number: Int, _ value: Int) -> Int { counter.count("\(number)", value) }

    @Field var n = 1
    @Output private(set) var kept = 0
    @Output var x0: Int { count(0, n) }
    @Output var x1: Int { count(1, x0 &+ x0) }
    @Output var x2: Int { count(2, x1 &+ x1) }
    @Output var x3: Int { count(3, x2 &+ x2) }
    @Output var x4: Int { count(4, x3 &+ x3) }
    @Output var x5: Int { count(5, x4 &+ x4) }
    @Output var x6: Int { count(6, x5 &+ x5) }
    @Output var x7: Int { count(7, x6 &+ x6) }
    @Output var x8: Int { count(8, x7 &+ x7) }
    @Output var x9: Int { count(9, x8 &+ x8) }
    @Output var x10: Int { count(10, x9 &+ x9) }
    @Output var x11: Int { count(11, x10 &+ x10) }
    @Output var x12: Int { count(12, x11 &+ x11) }
    @Output var x13: Int { count(13, x12 &+ x12) }
    @Output var x14: Int { count(14, x13 &+ x13) }
    @Output var x15: Int { count(15, x14 &+ x14) }
    @Output var x16: Int { count(16, x15 &+ x15) }
    @Output var x17: Int { count(17, x16 &+ x16) }
    @Output var x18: Int { count(18, x17 &+ x17) }
    @Output var x19: Int { count(19, x18 &+ x18) }
    @Output var x20: Int { count(20, x19 &+ x19) }
    @Output var x21: Int { count(21, x20 &+ x20) }
    @Output var x22: Int { count(22, x21 &+ x21) }
    @Output var x23: Int { count(23, x22 &+ x22) }
    @Output var x24: Int { count(24, x23 &+ x23) }
    @Output var x25: Int { count(25, x24 &+ x24) }
    @Output var x26: Int { count(26, x25 &+ x25) }
    @Output var x27: Int { count(27, x26 &+ x26) }
    @Output var x28: Int { count(28, x27 &+ x27) }
    @Output var x29: Int { count(29, x28 &+ x28) }

    @Input func keep() { kept = outputs.x29.value }
}

/// Outputs that read the first one, and one that reads them all.
@ViewModel
private final class Diamond {
    let counter = Runs()
    private func count(_ number: Int, _ value: Int) -> Int { counter.count("\(number)", value) }

    @Field var n = 1
    @Output var x0: Int { count(0, n) }
    @Output var x1: Int { count(1, x0 &+ 1) }
    @Output var x2: Int { count(2, x0 &+ 2) }
    @Output var x3: Int { count(3, x0 &+ 3) }
    @Output var x4: Int { count(4, x0 &+ 4) }
    @Output var x5: Int { count(5, x0 &+ 5) }
    @Output var x6: Int { count(6, x0 &+ 6) }
    @Output var x7: Int { count(7, x0 &+ 7) }
    @Output var x8: Int { count(8, x0 &+ 8) }
    @Output var x9: Int { count(9, x0 &+ 9) }
    @Output var x10: Int { count(10, x0 &+ 10) }
    @Output var x11: Int { count(11, x0 &+ 11) }
    @Output var x12: Int { count(12, x0 &+ 12) }
    @Output var x13: Int { count(13, x0 &+ 13) }
    @Output var x14: Int { count(14, x0 &+ 14) }
    @Output var x15: Int { count(15, x0 &+ 15) }
    @Output var x16: Int { count(16, x0 &+ 16) }
    @Output var x17: Int { count(17, x0 &+ 17) }
    @Output var x18: Int { count(18, x0 &+ 18) }
    @Output var x19: Int { count(19, x0 &+ 19) }
    @Output var x20: Int { count(20, x0 &+ 20) }
    @Output var x21: Int { count(21, x0 &+ 21) }
    @Output var x22: Int { count(22, x0 &+ 22) }
    @Output var x23: Int { count(23, x0 &+ 23) }
    @Output var x24: Int { count(24, x0 &+ 24) }
    @Output var x25: Int { count(25, x0 &+ 25) }
    @Output var x26: Int { count(26, x0 &+ 26) }
    @Output var x27: Int { count(27, x0 &+ 27) }
    @Output var x28: Int { count(28, x0 &+ 28) }
    @Output var x29: Int {
        let all: [Int] = [
            x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13, x14,
            x15, x16, x17, x18, x19, x20, x21, x22, x23, x24, x25, x26, x27, x28,
        ]
        return count(29, all.reduce(0, +))
    }
}

@SharedModel
private final class Amount {
    @State var value = 1
}

@ViewModel
private final class Leaf {
    let amount: Amount
    let counter = Runs()

    init(amount: Amount) { self.amount = amount }

    @Output var single: Int { counter.count("single", amount.value) }
    @Output var double: Int { counter.count("double", single + single) }
}

@ViewModel
private final class Parent {
    @Child let leaf: Leaf
    let amount: Amount
    let counter = Runs()

    init(amount: Amount) {
        self.amount = amount
        leaf = Leaf(amount: amount)
    }

    @Output var sum: Int { counter.count("sum", leaf.outputs.double.value) }
    @Output var both: Int { counter.count("both", sum + leaf.outputs.double.value) }
    @Input func set(_ value: Int) { amount.value = value }
}

/// Outputs that read each other, of which `@ViewModel` sees one only.
@ViewModel
private final class Round {
    @Field var isClosed = false
    @Output var here: Int { isClosed ? around() : 0 }
    @Output var there: Int { here + 1 }
}

extension Round {
    private func around() -> Int { outputs.there.value + 1 }
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
