import PodcastModel
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Podcast

@Suite struct `The daemon for its clients` {
    private let test: TestCatalog

    init() throws {
        test = try TestCatalog()
    }

    @Test func `has the agreed contract`() throws {
        try expectContract(of: test.catalog, matches: "Fixtures/podcast.json")
    }

    @Test func `downloads as it was recorded: in two parts, after an attempt at a busy server`() throws {
        let parts = test.server.parts
        var answers: [() -> Void] = [
            { parts.fail(with: PodcastFailure.busy) },
            { parts.complete(with: Part(bytes: [1, 2, 3, 4], total: 8)) },
            { parts.complete(with: Part(bytes: [5, 6, 7, 8], total: 8)) },
        ]
        try expectReplay(of: "Fixtures/download.transcript", in: SessionHarness(test.catalog)) {
            if !parts.waiting.isEmpty, !answers.isEmpty { answers.removeFirst()() }
        }
        #expect(answers.isEmpty)
    }
}
