import Testing
import ViewModelKit
import ViewModelTesting

/// A ViewModel with a value of any length.
@ViewModel
final class Long {
    @Output private(set) var text = ""
    @Input func repeats(_ count: Int) { text = String(repeating: "a", count: count) }
}

@Suite struct `A value of more than a mebibyte` {
    @Test func `is in the log once, with the name of the output`() throws {
        let harness = try Harness(Long.self)
        try harness.send(\.inputs.repeats, 1 << 20 - 2)
        #expect(harness.session.log.entries.isEmpty)
        for length in 1...2 { try harness.send(\.inputs.repeats, 1 << 20 + length) }
        let entries = harness.session.log.entries
        #expect(entries.map(\.message) == ["The value of an output is large, and clients get all of it at each change"])
        #expect(entries.first?.metadata["bytes"] == "\(1 << 20 + 3)")
        #expect(entries.first?.metadata["output"]?.hasPrefix("long.text (") == true)
    }
}
