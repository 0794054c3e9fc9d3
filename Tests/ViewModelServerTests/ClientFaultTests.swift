import NIOCore
import Synchronization
import TestSupport
import Testing
import ViewModelClient
import ViewModelKit
import ViewModelServer

/// A ViewModel that counts what its clients do.
@ViewModel
final class Ledger {
    /// A line of the ledger.
    @Schemable
    struct Line: Identifiable {
        var id: Int
        var text: String
    }

    @Output private(set) var total = 0
    @Output var lines: Rows<Line> = []
    @Field var note = ""
    @Event var written: String

    private var lastID = 0

    @Input func write(_ text: String) { append(text) }

    @Action func add(_ amount: Int) async throws -> Int {
        total += amount
        append("\(amount)")
        return total
    }

    private func append(_ text: String) {
        lastID += 1
        lines.append(Line(id: lastID, text: text))
        $written.send(text)
    }
}

/// What a client has after its connection was cut at any byte of a session.
@Suite(.timeLimit(.minutes(10))) struct ClientFaultTests {
    /// What a run of the session has done.
    private struct Run {
        var bytes = 0
        var connections = 0
        /// The unkeyed calls whose outcome is unknown.
        var unknown: Set<String> = []
        var faults: [String] = []
    }

    @Test func `a connection cut at any byte costs no picture, no keystroke, and runs no action twice`() async throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Ledger.self) { _ in Ledger() }
        try await withServer(catalog) { socket in
            let whole = try await Self.run(socket, cutAfter: nil)
            #expect(whole.faults == [])
            #expect(whole.unknown == [])
            #expect(whole.bytes > 1500)
            // Every tenth byte, beginning with another one each time: all of them take minutes.
            let cuts = stride(from: Int.random(in: 0..<10), to: whole.bytes, by: 10)
            var (faults, unknown) = (whole.faults, whole.unknown)
            try await withThrowingTaskGroup(of: Run.self) { group in
                for (started, limit) in cuts.enumerated() where faults.count <= 5 {
                    // A session waits most of the time.
                    if started >= 32, let run = try await group.next() {
                        faults += run.faults
                        unknown.formUnion(run.unknown)
                    }
                    group.addTask { try await Self.run(socket, cutAfter: limit) }
                }
                for try await run in group {
                    faults += run.faults
                    unknown.formUnion(run.unknown)
                }
            }
            #expect(faults == [])
            // Some of the cuts hit a call without a key.
            #expect(unknown == ["write", "add"])
        }
    }

    /// Runs the session through a proxy, and compares what the client has with what the daemon has.
    private static func run(_ server: String, cutAfter limit: Int?) async throws -> Run {
        let folder = try TemporaryDirectory()
        defer { withExtendedLifetime(folder) {} }
        let proxy = CuttingProxy(socket: "\(folder.path)/p.sock", target: server, cutAfter: limit)
        try await proxy.start()
        let session = try #require(SessionName("cut-\(limit.map { "\($0)" } ?? "none")-\(UInt32.random(in: 0...9999))"))
        var run = Run()
        do {
            try await withViewModelClient(socket: proxy.socket, options: Self.options(session)) { client in
                run = try await Self.session(client, server, session)
            }
        } catch {
            run.faults.append("\(error)")
        }
        run.faults = run.faults.map { "cut after \(limit ?? -1): \($0)" }
        run.bytes = proxy.passed
        run.connections = proxy.connections
        await proxy.stop()
        return run
    }

    private static func options(_ session: SessionName) -> ClientOptions {
        var options = ClientOptions()
        options.timeout = .seconds(600)
        options.backoff = Backoff(initial: .milliseconds(1), maximum: .milliseconds(20))
        options.session = SessionAttach.Params(session: session, linger: 60)
        return options
    }

    private static func session(_ client: ViewModelClient, _ server: String, _ session: SessionName) async throws -> Run
    {
        var run = Run()
        let binding = client.bind("ledger", windows: ["lines": Window(offset: 0, limit: 2)])
        // A reader sees the events since its first update, so that is awaited here and not in the task.
        var reader = binding.makeAsyncIterator()
        _ = try await reader.next()
        let events = Task { [reader] in
            var reader = reader
            var texts: [String] = []
            while texts.last != "end", let update = try await reader.next() {
                texts += update.change.events.compactMap(\.value.stringValue)
            }
            return texts
        }
        let note = client.field("ledger", "note", of: String.self)

        // With a key: each is applied exactly once.
        try await client.send(input: "ledger.write", "first", options: .retrying)
        let one = try await client.run(action: "ledger.add", 1, options: .retrying, returning: Int.self)
        // Without a key: applied at most once.
        for (name, amount) in [("write", 0), ("add", 100)] {
            do {
                if name == "write" {
                    try await client.send(input: "ledger.write", "second")
                } else {
                    _ = try await client.run(action: "ledger.add", amount)
                }
            } catch let error as ClientError where error.code == .outcomeUnknown {
                run.unknown.insert(name)
            }
        }
        for text in ["n", "no", "not", "note"] { note.edit(text, caret: text.count) }
        try await binding.scroll("lines", to: Window(offset: 1, limit: 2))
        note.edit("noted", caret: 5)
        let settled = try await note.settle(timeout: .seconds(600))
        if settled != "noted" || note.content.caret != 5 { run.faults.append("the field shows \(note.content)") }
        let two = try await client.run(action: "ledger.add", 10, options: .retrying, returning: Int.self)
        try await client.send(input: "ledger.write", "end", options: .retrying)

        let texts = try await events.value
        let picture = try await binding.wait(timeout: .seconds(600)) { picture in
            picture["lines"]?["rows"]?.arrayValue?.count == 2 && picture["total"]?.intValue.map { $0 % 100 } == 11
        }
        var direct = ClientOptions()
        direct.timeout = .seconds(600)
        direct.session = SessionAttach.Params(session: session, linger: 0)
        let truth = try await withViewModelClient(socket: server, options: direct) { other in
            (
                windowed: try await other.read("ledger", windows: ["lines": Window(offset: 1, limit: 2)]),
                whole: try await other.read("ledger")
            )
        }
        if picture.values != truth.windowed.values {
            run.faults.append("the picture is \(picture.values), the daemon has \(truth.windowed.values)")
        }
        let lines = truth.whole["lines"]?.arrayValue?.compactMap { $0["text"]?.stringValue } ?? []
        if texts != lines { run.faults.append("the events are \(texts), the lines \(lines)") }
        for (text, most) in [("first", 1), ("1", 1), ("10", 1), ("end", 1), ("second", 1), ("100", 1)] {
            let count = lines.count { $0 == text }
            let isUnkeyed = text == "second" || text == "100"
            if count > most || (count < most && !isUnkeyed) { run.faults.append("\(text) was done \(count) times") }
        }
        if one != 1 || two % 100 != 11 { run.faults.append("the results are \(one) and \(two)") }
        return run
    }
}
