import Synchronization
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

/// Numbers that are searched off the session.
@ViewModel
final class Searcher {
    struct Query: Equatable, Sendable {
        let text: String
        let numbers: [Int]
    }

    /// A found number.
    @Schemable
    struct Row: Identifiable, Sendable {
        let id: Int
    }

    @Field var text = ""
    /// A text that the search does not read.
    @Field var note = ""
    @Output var found: Rows<Row> = []
    @Output private(set) var count = -1

    @State private var numbers = [1, 21, 22, 3]
    private var query: Query { Query(text: text, numbers: numbers) }

    init(search: @escaping @Sendable (Query) throws -> [Int]) {
        $found.compute(from: self, \.query) { try search($0).map(Row.init) }
        $count.compute(from: self, \.query) { try search($0).count }
    }

    /// Adds a number and changes the text.
    @Input func add(_ number: Int) {
        numbers.append(number)
        text = "\(number)"
    }
}

@Suite struct `A value that is computed off the session` {
    /// The texts of the searches.
    private final class Log: Sendable {
        private let texts = Mutex<[String]>([])
        var all: [String] { texts.withLock { $0 } }
        func add(_ text: String) { texts.withLock { $0.append(text) } }
    }

    private let log = Log()

    private func harness(failing text: String = "fail", _ error: any Error = UnexpectedError()) throws -> Harness<
        Searcher
    > {
        let log = log
        let search: @Sendable (Searcher.Query) throws -> [Int] = { query in
            log.add(query.text)
            if query.text == text { throw error }
            return query.numbers.filter { query.text.isEmpty || "\($0)".contains(query.text) }
        }
        return try Harness(Searcher.self) { _ in Searcher(search: search) }
    }

    @Test func `is written after the wiring, and after each change of what it reads`() throws {
        let searcher = try harness()
        #expect(try searcher.read(\.outputs.found).map(\.id) == [1, 21, 22, 3])
        #expect(try searcher.read(\.outputs.count) == 4)
        try searcher.send(\.inputs.text, "2")
        #expect(try searcher.read(\.outputs.found).map(\.id) == [21, 22])
        #expect(try searcher.read(\.outputs.count) == 2)
    }

    @Test func `is not computed for a change that it does not read, nor for an equal value`() throws {
        let searcher = try harness()
        searcher.session.runUntilIdle()
        let searches = log.all
        try searcher.send(\.inputs.note, "x")
        try searcher.send(\.inputs.text, "")
        #expect(log.all == searches)
    }

    @Test func `is computed once for several changes in one step`() throws {
        let searcher = try harness()
        searcher.session.runUntilIdle()
        try searcher.send(\.inputs.add, 27)
        #expect(try searcher.read(\.outputs.found).map(\.id) == [27])
        #expect(log.all == ["", "", "27", "27"])
    }

    @Test func `is the newest one if the property changes during the work`() throws {
        let searcher = try harness()
        searcher.session.runUntilIdle()
        let requests = ["1", "2", "3"].map {
            #"{"jsonrpc":"2.0","id":\#($0),"method":"searcher.text","params":["\#($0)"]}"#
        }
        let frames = searcher.frames { searcher.client.send("[\(requests.joined(separator: ","))]") }
        #expect(try searcher.read(\.outputs.found).map(\.id) == [3])
        #expect(log.all == ["", "", "1", "1", "3", "3"], "work for 2 was never begun")
        #expect(frames.compactMap { $0.values["count"] } == [1], "the result for 1 was discarded")
    }

    @Test func `keeps its value if the work throws, and the error is an incident`() throws {
        let searcher = try harness()
        try searcher.send(\.inputs.text, "fail")
        #expect(try searcher.read(\.outputs.count) == 4)
        #expect(searcher.session.incidents.count == 2)
        try searcher.send(\.inputs.text, "3")
        #expect(try searcher.read(\.outputs.count) == 1)
    }

    @Test func `keeps its value if the work is cancelled, which is no incident`() throws {
        let searcher = try harness(failing: "stop", CancellationError())
        try searcher.send(\.inputs.text, "stop")
        #expect(try searcher.read(\.outputs.count) == 4)
    }

    @Test func `does nothing when its ViewModel is closed`() throws {
        let searcher = try harness()
        searcher.session.runUntilIdle()
        try searcher.client.request("viewModel.close", ["id": "searcher"])
        searcher.session.runUntilIdle()
        #expect(log.all.count == 2)
    }
}
