import Foundation
import Testing
import ViewModelKit
import ViewModelTesting

/// A plain object whose changes no output follows.
private final class Notes {
    var text = "a"
}

/// A ViewModel whose outputs read what does not tell them about its changes.
@ViewModel
final class Stale {
    @State private var count = 0
    @Output var hidden: Int { counter + count }
    @Output var object: String { notes.text }
    @Output var time: Double { moment.timeIntervalSince1970 }
    @Output var outer: Int { hidden + 1 }
    @Output var fresh: Int { count }
    @Output(every: .seconds(1)) var sampled: Double { moment.timeIntervalSince1970 }
    @Rows var rows: [StaleRow] { (0..<counter).map(StaleRow.init) }
    fileprivate var plain = 0
    private let notes = Notes()

    @Input func up() {
        plain += 1
        notes.text += "a"
    }
    @Input func add() { count += 1 }
    @Action(enabled: \Stale.isOdd) func look() {}
}

@Schemable
struct StaleRow: Identifiable {
    let id: Int
}

// The macro does not see the members of an extension.
extension Stale {
    fileprivate var counter: Int { plain }
    fileprivate var isOdd: Bool { !plain.isMultiple(of: 2) }
    fileprivate var moment: Date { Date() }
}

@Suite struct `A test of an output that misses a change` {
    @Test func `fails when it reads the output, and says what to write`() throws {
        let harness = try Harness(Stale.self)
        #expect(try harness.read(\.outputs.hidden) == 0)
        #expect(try harness.read(\.outputs.object) == "a")
        #expect(try !harness.isEnabled(\.actions.look))
        #expect(try harness.read(\.outputs.rows) == [])
        try harness.send(\.inputs.up)
        let remedy =
            "has an old value: it reads a variable without @State, an object whose variables have none, or the time; "
            + "write @State, or @Output(every: …)"
        func fails(_ name: String, _ body: () throws -> Void) {
            let error = #expect(throws: HarnessError.self) { try body() }
            #expect(error?.description == "stale.\(name) \(remedy)")
        }
        fails("hidden") { _ = try harness.read(\.outputs.hidden) }
        fails("object") { _ = try harness.read(\.outputs.object) }
        fails("time") { _ = try harness.read(\.outputs.time) }
        fails("look.enabled") { _ = try harness.isEnabled(\.actions.look) }
        fails("rows") { _ = try harness.read(\.outputs.rows) }
    }

    @Test func `fails also for an output that reads the stale one`() throws {
        let harness = try Harness(Stale.self)
        try harness.send(\.inputs.up)
        #expect(throws: HarnessError.self) { try harness.read(\.outputs.outer) }
    }

    @Test func `passes for outputs that follow their values, and for sampled ones`() throws {
        let harness = try Harness(Stale.self)
        try harness.send(\.inputs.add)
        #expect(try harness.read(\.outputs.fresh) == 1)
        #expect(try harness.read(\.outputs.hidden) == 1)
        #expect(try harness.read(\.outputs.outer) == 2)
        #expect(try harness.read(\.outputs.sampled) > 0)
    }
}
