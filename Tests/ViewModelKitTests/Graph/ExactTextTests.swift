import Testing
import ViewModelTesting

@testable import ViewModelKit

private let composed = "\u{E9}"
private let decomposed = "e\u{301}"

/// A value that cannot be encoded.
private enum Phase: Equatable {
    case idle
    indirect case shown(text: String, then: Phase)
}

/// A value whose author compares one member only.
private struct Note: Equatable {
    let id: Int
    let text: String

    static func == (left: Note, right: Note) -> Bool { left.id == right.id }
}

private struct Tag: Hashable {
    let name: String
    let size: Int
}

private struct Trouble: Error {
    let text: String
}

private protocol Reader: AnyObject {}

private final class Owner: Equatable, Reader {
    static func == (left: Owner, right: Owner) -> Bool { true }
}

/// A value with fields whose type is known only while the program runs.
private struct Report: Equatable {
    var error: any Error = Trouble(text: "none")
    var last: (any Error)?
    var others: [any Error] = []
    var note: Any = 1
    weak var owner: Owner?
    weak var reader: (any Reader)?
    var title = ""

    static func == (left: Report, right: Report) -> Bool { left.title == right.title && left.owner == right.owner }
}

@Schemable
struct NamedRow: Identifiable {
    let id: String
    var text: String
}

@Suite struct `Text in two forms` {
    /// Returns whether a cell, a derived value and a stream take the second value for another one.
    private func differ<Value: Equatable>(_ first: Value, _ second: Value) throws -> Bool {
        let harness = try GraphHarness()
        let (cell, changes) = harness.wire { () -> (Cell<Value>, [Signal<Int>]) in
            let cell = Cell(first)
            let source = Cell(0)
            var (runs, mapped) = (0, 0)
            let derived = Derived { source.value == 0 ? first : second }
            let count = Derived { () -> Int in
                _ = derived.value
                runs += 1
                return runs
            }
            let map = source.map { $0 == 0 ? first : second }.map { (_: Value) -> Int in
                mapped += 1
                return mapped
            }
            _ = (count.value, map.value)
            harness.step { source.value = 1 }
            return (cell, [count, map])
        }
        let before = cell.version
        harness.step { cell.value = second }
        let isOther = cell.version != before
        for change in changes { #expect((change.value == 2) == isOther, "\(first) \(second)") }
        return isOther
    }

    @Test func `is another value, wherever a value contains it`() throws {
        let long = String(repeating: "x", count: 40)
        #expect(try differ(composed, decomposed))
        #expect(try differ(composed + long, decomposed + long))
        #expect(try differ(composed as String?, decomposed))
        #expect(try differ(Character(composed), Character(decomposed)))
        #expect(try differ(composed[...], decomposed[...]))
        #expect(try differ(["a", composed], ["a", decomposed]))
        #expect(try differ([composed: 1], [decomposed: 1]))
        #expect(try differ([1: [composed]], [1: [decomposed]]))
        #expect(try differ(Set([composed, "a"]), Set([decomposed, "a"])))
        #expect(try differ(Tag(name: composed, size: 1), Tag(name: decomposed, size: 1)))
        #expect(try differ(Set([Tag(name: composed, size: 1)]), Set([Tag(name: decomposed, size: 1)])))
        #expect(
            try differ(
                Phase.shown(text: "a", then: .shown(text: composed, then: .idle)),
                .shown(text: "a", then: .shown(text: decomposed, then: .idle))
            )
        )
        #expect(try differ(JSONValue.string(composed), .string(decomposed)))
        #expect(try differ(Note(id: 1, text: composed), Note(id: 1, text: decomposed)))
    }

    @Test func `is the only difference that a value's own comparison does not hide`() throws {
        let long = String(repeating: composed, count: 40)
        #expect(try !differ(long, String(long.map { $0 })))
        #expect(try !differ([long, "a"], [String(long.map { $0 }), "a"]))
        #expect(try !differ(Note(id: 1, text: "a"), Note(id: 1, text: "b")))
        #expect(try !differ(Phase.shown(text: long, then: .idle), .shown(text: String(long.map { $0 }), then: .idle)))
        #expect(try !differ(["a": long, "b": long], ["b": String(long.map { $0 }), "a": long]))
        #expect(try !differ(1.5, 1.5))
        #expect(try !differ(JSONValue.number("1"), .number("1.0")))
    }

    @Test func `is found in a value of any type, and a reference to an object is only compared`() throws {
        let long = String(repeating: composed, count: 40)
        let (first, second) = (Trouble(text: composed), Trouble(text: decomposed))
        #expect(try differ(Report(error: first), Report(error: second)))
        #expect(try differ(Report(last: first), Report(last: second)))
        #expect(try differ(Report(others: [first]), Report(others: [second])))
        #expect(try differ(Report(note: composed), Report(note: decomposed)))
        let (owner, other) = (Owner(), Owner())
        #expect(try differ(Report(owner: owner, title: composed), Report(owner: other, title: decomposed)))
        func report(_ owner: Owner) -> Report {
            Report(error: first, last: first, note: first, owner: owner, reader: owner, title: String(long.map { $0 }))
        }
        #expect(try !differ(report(owner), report(other)))
        #expect(try !differ(Report(note: 1), Report(note: "1")))
        withExtendedLifetime((owner, other)) {}
    }

    @Test func `is not a duplicate of a stream`() throws {
        let harness = try GraphHarness()
        var seen: [String] = []
        let input = harness.wire { Input<String>() }
        input.removeDuplicates().sink { seen.append($0) }
        harness.step {
            input.send(composed)
            input.send(decomposed)
            input.send(decomposed)
        }
        #expect(seen.map { $0.unicodeScalars.count } == [1, 2])
    }

    @Test func `makes two ids of rows`() throws {
        let harness = try GraphHarness()
        let first = [NamedRow(id: composed, text: "a"), NamedRow(id: decomposed, text: "b")]
        let (cell, output) = harness.list(first)
        output.source.countBindings(1)
        #expect(cell.index(of: composed) == 0 && cell.index(of: decomposed) == 1)
        let before = harness.graph.sequence
        harness.step { cell.replaceAll(with: [first[1], first[0]]) }
        #expect(try output.source.edits(since: before)?.count == 2)
        #expect(cell.index(of: decomposed) == 0 && cell.index(of: composed) == 1)
        harness.step { cell[id: composed] = nil }
        #expect(cell.value == [first[1]] && cell.index(of: composed) == nil)
    }

    @Test func `makes another row`() throws {
        let harness = try GraphHarness()
        let (cell, output) = harness.list([NamedRow(id: "1", text: composed)])
        output.source.countBindings(1)
        var before = harness.graph.sequence
        harness.step { cell.replace(NamedRow(id: "1", text: decomposed), at: 0) }
        #expect(try output.source.edits(since: before)?.count == 1)
        before = harness.graph.sequence
        harness.step { cell.replaceAll(with: [NamedRow(id: "1", text: composed)]) }
        #expect(try output.source.edits(since: before)?.count == 1)
    }
}
