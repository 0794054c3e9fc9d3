import PodcastModel
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Podcast

@Suite struct `The library` {
    private let test: TestCatalog

    init() throws {
        test = try TestCatalog()
    }

    private func found(_ library: Harness<Library>) throws -> [Int] { try library.read(\.outputs.found).map(\.id) }

    @Test func `loads by itself, and says why that failed`() throws {
        let library = try Harness(Library.self, in: test.catalog)
        #expect(try library.isExecuting(\.$load))
        let call = library.start(\.$load)
        test.server.feed.fail(with: PodcastFailure.busy)
        #expect(
            call.answer
                == .failure(ActionFailure("busy", message: "The server has too much to do.", retryable: true))
        )
        #expect(try found(library) == [])
        _ = library.start(\.$load)
        test.server.feed.complete(with: [.numbered(1)])
        #expect(try library.read(\.outputs.summary) == "1 episode")
        #expect(try library.read(\.outputs.found).first?.title == "1: trains")
    }

    @Test func `is searched a quarter of a second after the last letter`() throws {
        let library = try test.library()
        try library.exhaustively {
            try library.send(\.inputs.search, "b")
            library.advance(by: .milliseconds(249))
            try library.send(\.inputs.search, "bread")
            library.advance(by: .milliseconds(249))
            #expect(try library.read(\.outputs.search) == "bread")
        }
        #expect(try found(library) == [5, 4, 3, 2, 1])
        try library.exhaustively {
            library.advance(by: .milliseconds(1))
            let ids = try found(library)
            #expect(ids == [5, 2])
            #expect(try library.read(\.outputs.summary) == "2 episodes")
        }
    }

    @Test(arguments: [(Library.Order.newest, [3, 2, 1]), (.oldest, [1, 2, 3]), (.title, [1, 2, 3])])
    func `is sorted`(order: Library.Order, ids: [Int]) throws {
        let library = try test.library(3)
        try library.send(\.inputs.order, order)
        #expect(try found(library) == ids)
    }

    @Test func `sends a window of 50,000 episodes, and no more`() throws {
        let library = try test.library(50_000)
        let phone = try library.session.connect()
        try phone.bind("library", outputs: ["found"], windows: ["found": Window(offset: 0, limit: 2)])
        try library.send(\.inputs.order, .oldest)
        let window = phone.picture(of: "library")?["found"]
        #expect(window?["count"] == 50_000)
        #expect(window?["rows"]?.arrayValue?.map { $0["id"] } == [1, 2])
    }

    @Test func `deletes after a confirmation only`() throws {
        let library = try test.library(3)
        let refused = try library.start(\.$delete, [2, 3])
        let prompt = try #require(library.prompts.first)
        #expect(prompt.title == "Delete 2 episodes?")
        #expect(prompt.buttons.map(\.role) == [.destructive, .cancel])
        try library.answer(prompt, button: "cancel")
        #expect(try refused.result() == 0)
        #expect(test.server.deletions.calls.isEmpty)

        let call = try library.start(\.$delete, [2, 3])
        try library.answer(library.prompts[0], button: "ok")
        #expect(try found(library) == [3, 2, 1])
        test.server.deletions.complete()
        #expect(try call.result() == 2)
        #expect(try found(library) == [1])
    }
}
