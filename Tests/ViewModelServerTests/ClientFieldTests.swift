import TestSupport
import Testing
import ViewModelClient
import ViewModelKit

/// Fields that rewrite what is typed.
@ViewModel
final class Notes {
    /// Keeps the text.
    @Field var echo = ""
    /// The text in capitals.
    @Output var upper: String { capitals }
    /// The text without blanks at its ends.
    @Output var trim: String { trimmed }
    /// The text, emptied when it becomes long.
    @Output var clear: String { short }
    /// The text; a long one is refused.
    @Field(check: Notes.checkLength) var refuse = ""

    @State private var capitals = ""
    @State private var trimmed = ""
    @State private var short = ""

    /// Sets the text.
    @Input func upper(_ text: String) { capitals = text.uppercased() }
    /// Sets the text.
    @Input func trim(_ text: String) {
        trimmed = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
    /// Sets the text.
    @Input func clear(_ text: String) { short = text.count > 8 ? "" : text }

    private static func checkLength(_ text: String) throws {
        if text.count > 8 { throw InvalidValue(expected: "at most 8 characters", found: "\(text.count)") }
    }
}

/// Random typing into fields, through a server and its sockets.
@Suite(.timeLimit(.minutes(5))) struct ClientFieldTests {
    @Test(arguments: ["echo", "upper", "trim", "clear", "refuse"], [1, 2])
    func `after quiet all writers see the output, and one writer loses no key`(
        name: String,
        writers: Int
    ) async throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Notes.self) { _ in Notes() }
        try await withServer(catalog) { socket in
            for round in 0..<12 {
                let seed = UInt64.random(in: .min ... .max)
                let session = try #require(SessionName("s\(round)"))
                let faults = try await Self.run(socket, session, name, writers, seed)
                #expect(faults == [], "\(name), \(writers) writers, seed \(seed)")
            }
        }
    }

    private static func run(
        _ socket: String,
        _ session: SessionName,
        _ name: String,
        _ writers: Int,
        _ seed: UInt64
    ) async throws -> [String] {
        var options = ClientOptions()
        options.timeout = .seconds(60)
        options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(10))
        options.session = SessionAttach.Params(session: session, linger: 60)
        let clientOptions = options
        return try await withViewModelClient(socket: socket, options: options) { witness in
            let typed = try await withThrowingTaskGroup(of: (keys: Int, shown: String?, faults: [String]).self) {
                group in
                for writer in 0..<writers {
                    group.addTask {
                        try await withViewModelClient(socket: socket, options: clientOptions) { client in
                            try await type(client, name, isAlone: writers == 1, Seeded(seed &+ UInt64(writer)))
                        }
                    }
                }
                var results: [(keys: Int, shown: String?, faults: [String])] = []
                for try await result in group { results.append(result) }
                return results
            }
            let output = try await witness.read("notes")[name]?.stringValue ?? ""
            var faults = typed.flatMap(\.faults)
            if writers == 1, ["echo", "upper"].contains(name), let keys = typed.first?.keys, output.count != keys {
                faults.append("\(keys) keys, the output is \(output)")
            }
            if writers == 1, let shown = typed.first?.shown, shown != output {
                faults.append("the box shows \(shown), the output is \(output)")
            }
            return faults
        }
    }

    /// Types at random, and returns the number of keys and what the box shows in the end.
    private static func type(
        _ client: ViewModelClient,
        _ name: String,
        isAlone: Bool,
        _ seeded: Seeded
    ) async throws -> (keys: Int, shown: String?, faults: [String]) {
        var random = seeded
        var faults: [String] = []
        let minInterval = Bool.random(using: &random) ? nil : Int.random(in: 1...40, using: &random)
        let binding = client.bind("notes", outputs: [name], minInterval: minInterval)
        _ = try await binding.picture()
        let field = client.field("notes", name, of: String.self)
        let keys = Int.random(in: 1...25, using: &random)
        for _ in 0..<keys {
            let content = field.content
            let shown = content.value ?? ""
            let caret = min(content.caret, shown.count)
            let place = shown.index(shown.startIndex, offsetBy: caret)
            let key = Int.random(in: 0..<5, using: &random) == 0 ? " " : "x"
            let text = String(shown[..<place]) + key + String(shown[place...])
            field.edit(text, caret: caret + 1)
            // A reply may already have come, with another writer's text or with the model's own.
            if isAlone, name == "echo", field.content.value != text { faults.append("the key is not shown") }
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                await client.suspend()
                await client.resume()
            case 1...4: break
            default:
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    _ = try await client.call(SessionList.self, SessionList.Params())
                }
            }
        }
        var shown: String?
        for await content in field.changes() where content.isSettled {
            shown = content.value
            break
        }
        // The box of a settled field shows the output; with another writer it may change again.
        if shown == nil { faults.append("the field has ended") }
        withExtendedLifetime(binding) {}
        return (keys, shown, faults)
    }
}
