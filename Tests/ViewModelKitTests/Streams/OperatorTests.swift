import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A stream` {
    private let harness: GraphHarness
    private let numbers: Input<Int>
    private let others: Input<Int>
    private let log = Log()

    private final class Log {
        var values: [String] = []
    }

    init() throws {
        harness = try GraphHarness()
        numbers = harness.wire { Input() }
        others = harness.wire { Input() }
    }

    private func watch<Value>(_ stream: ViewModelKit.Stream<Value>) {
        stream.sink { [log] in log.values.append("\($0)") }
    }

    private func send(_ values: Int...) {
        for value in values {
            harness.step { numbers.send(value) }
        }
    }

    private func sendOther(_ value: Int) {
        harness.step { others.send(value) }
    }

    @Test func `tells those who listen in the order in which they came`() {
        numbers.sink { [log] in log.values.append("first \($0)") }
        numbers.sink { [log] in log.values.append("second \($0)") }
        send(1, 2)
        #expect(log.values == ["first 1", "second 1", "first 2", "second 2"])
    }

    /// An operator, the numbers that are sent, those to the other stream in parentheses, and what comes out.
    private struct Row {
        let name: String, sent: String, expected: [String]
        let apply: (Input<Int>, Input<Int>) -> ViewModelKit.Stream<String>

        init(
            _ name: String,
            _ sent: String,
            _ expected: [String],
            _ apply: @escaping (Input<Int>, Input<Int>) -> ViewModelKit.Stream<String>
        ) {
            (self.name, self.sent, self.expected, self.apply) = (name, sent, expected, apply)
        }
    }

    private let rows = [
        Row("map", "1 2 2", ["2", "4", "4"]) { numbers, _ in numbers.map { "\($0 * 2)" } },
        Row("filter", "1 2 3 4", ["2", "4"]) { numbers, _ in numbers.filter { $0 % 2 == 0 }.map { "\($0)" } },
        Row("scan", "1 2 3", ["11", "13", "16"]) { numbers, _ in numbers.scan(10) { $0 + $1 }.map { "\($0)" } },
        Row("merge", "1 (2) 3", ["1", "2", "3"]) { numbers, others in numbers.merge(with: others).map { "\($0)" } },
        Row("combineLatest", "1 2 (10) 3 (11)", ["(2, 10)", "(3, 10)", "(3, 11)"]) { numbers, others in
            numbers.combineLatest(others).map { "\($0)" }
        },
        Row("removeDuplicates", "1 1 2 2 1", ["1", "2", "1"]) { numbers, _ in
            numbers.removeDuplicates().map { "\($0)" }
        },
        Row("switchToLatest", "(1) 1 (2) 2 (3) (4)", ["102", "203", "204"]) { numbers, others in
            numbers.map { number in others.map { "\(number * 100 + $0)" } }.switchToLatest()
        },
    ]

    @Test func `passes on what each operator gives`() throws {
        for row in rows {
            let (numbers, others, log) = harness.wire { (Input<Int>(), Input<Int>(), Log()) }
            row.apply(numbers, others).sink { log.values.append($0) }
            for word in row.sent.split(separator: " ") {
                let number = try #require(Int(word.filter(\.isNumber)))
                harness.step { (word.hasPrefix("(") ? others : numbers).send(number) }
            }
            #expect(log.values == row.expected, "\(row.name)")
        }
    }

    @Test func `tells nothing of the past`() {
        send(1)
        watch(numbers)
        send(2)
        #expect(log.values == ["2"])
    }

    @Test func `pairs each value with what a signal is at that moment`() {
        let signal = harness.wire { Cell("a") }
        watch(numbers.withLatest(from: signal))
        send(1)
        harness.step { signal.value = "b" }
        send(2)
        #expect(log.values == ["(1, \"a\")", "(2, \"b\")"])
    }

    @Test func `that is switched off while it emits says nothing more`() {
        let inner = harness.wire { Input<Int>() }
        let streams = numbers.map { [inner] number in inner.map { number * 100 + $0 } }
        watch(streams.switchToLatest())
        send(1)
        // The newer listener of the same value comes after the one that switches.
        inner.sink { [harness, numbers] value in if value == 5 { harness.step { numbers.send(2) } } }
        harness.step { inner.send(5) }
        harness.step { inner.send(6) }
        #expect(log.values == ["105", "206"])
    }

    @Test func `that is the same one again and again leaves its other listeners as they were`() {
        var heard: [String] = []
        others.sink { heard.append("first \($0)") }
        let latest = numbers.map { [others] _ in others as ViewModelKit.Stream<Int> }.switchToLatest()
        latest.sink { heard.append("latest \($0)") }
        send(1, 2, 3)
        others.sink { heard.append("last \($0)") }
        sendOther(7)
        send(4)
        sendOther(8)
        // What was cancelled last stood at the end of the list, or before it.
        send(5, 6)
        sendOther(9)
        others.sink { heard.append("new \($0)") }
        sendOther(10)
        #expect(
            heard == [
                "first 7", "latest 7", "last 7", "first 8", "last 8", "latest 8", "first 9", "last 9", "latest 9",
                "first 10", "last 10", "latest 10", "new 10",
            ]
        )
    }

    @Test func `that is left for another one keeps no subscription, even if it never emits`() {
        watch(numbers.map { [others] _ in others as ViewModelKit.Stream<Int> }.switchToLatest())
        for number in 1...100 { send(number) }
        #expect(subscriptions(of: others) == 1)
    }

    /// Returns the length of a stream's list of subscriptions.
    private func subscriptions(of stream: ViewModelKit.Stream<Int>) -> Int {
        func value(_ name: String, of object: Any) -> Any? {
            var mirror: Mirror? = Mirror(reflecting: object)
            while let current = mirror {
                if let child = current.children.first(where: { $0.label == name }) {
                    return Mirror(reflecting: child.value).children.first?.value
                }
                mirror = current.superclassMirror
            }
            return nil
        }
        var count = 0
        var subscription = value("first", of: stream)
        while let current = subscription {
            count += 1
            subscription = value("next", of: current)
        }
        return count
    }

    @Test func `is kept as a signal by hold, and written into a cell by assign`() {
        let cell = harness.wire { Cell(0) }
        let (held, output) = harness.wire {
            let held = numbers.hold(-1)
            return (held, Output { held.value + cell.value })
        }
        output.commitInitialValue()
        numbers.assign(to: cell)
        #expect(held.value == -1)
        send(4)
        #expect(held.value == 4)
        #expect(cell.value == 4)
        #expect(output.value == 8)
    }

    @Test func `runs through its operators within the step that sent the value`() {
        let (cell, _) = harness.cell(0)
        let before = harness.graph.sequence
        numbers.map { $0 + 1 }.filter { $0 > 0 }.sink { cell.value = $0 }
        numbers.map { $0 + 2 }.sink { cell.value += $0 }
        send(1)
        #expect(cell.value == 5)
        #expect(harness.graph.sequence == before + 1)
    }

    @Test func `lives on when a check refuses a value`() throws {
        numbers.check { value in
            guard value > 0 else { throw InvalidValue(expected: "more than 0", found: "\(value)") }
        }
        watch(numbers)
        #expect(throws: InvalidValue(expected: "more than 0", found: "-1")) {
            try harness.step { try numbers.accept(-1) }
        }
        send(-1, 1)
        #expect(log.values == ["1"])
    }
}
