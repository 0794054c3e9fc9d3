import Foundation
import PodcastModel
import Testing
import ViewModelKit
import ViewModelTesting

@testable import Podcast

@Suite struct `The downloads` {
    private let test: TestCatalog
    private let downloads: Harness<Downloads>

    init() throws {
        test = try TestCatalog()
        downloads = try Harness(Downloads.self, in: test.catalog)
    }

    private var running: [String] {
        get throws { try downloads.read(\.outputs.running).map { "\($0.id) \($0.state) \($0.progress ?? -1)" } }
    }
    private var waiting: [Int] { test.server.parts.waiting.map(\.input) }

    /// Ends the oldest request with half of a sound of eight bytes.
    private func half() { test.server.parts.complete(with: Part(bytes: [1, 2, 3, 4], total: 8)) }

    @Test func `run two at once, with progress, and are complete files in the end`() throws {
        let calls = try (1...3).map { try downloads.start(\.$start, $0) }
        #expect(waiting == [1, 2])
        half()
        #expect(try running == ["1 running 0.5", "2 running -1.0", "3 waiting -1.0"])
        test.server.parts.waiting.first { $0.input == 1 }?.complete(with: Part(bytes: [5, 6, 7, 8], total: 8))
        #expect(try calls[0].result() == Download(id: 1, bytes: 8))
        #expect(waiting == [2, 3])
        #expect(try downloads.read(\.outputs.finished) == [Download(id: 1, bytes: 8)])
        #expect(FileManager.default.contents(atPath: "\(test.folder)/1.mp3") == Data([1, 2, 3, 4, 5, 6, 7, 8]))
    }

    @Test func `are cancelled by id, and go on from there later`() throws {
        let call = try downloads.start(\.$start, 1)
        half()
        try downloads.send(\.inputs.cancel, 1)
        #expect(call.answer == .cancelled)
        #expect(try running == [] && downloads.read(\.outputs.failed) == [])
        let again = try downloads.start(\.$start, 1)
        half()
        #expect(try again.result() == Download(id: 1, bytes: 8))
    }

    @Test func `are tried three times while the server is busy`() throws {
        let call = try downloads.start(\.$start, 1)
        for attempt in 1...3 {
            #expect(try downloads.read(\.outputs.running).map(\.attempt) == [attempt])
            test.server.parts.fail(with: PodcastFailure.busy)
            if attempt < 3 { #expect(waiting == []) }
            downloads.advance(by: .seconds(1))
        }
        #expect(
            call.answer
                == .failure(ActionFailure("busy", message: "The server has too much to do.", retryable: true))
        )
        #expect(try downloads.read(\.outputs.failed) == [FailedDownload(id: 1, reason: "busy")])
        _ = try downloads.start(\.$start, 1)
        #expect(try downloads.read(\.outputs.failed) == [])
    }

    @Test func `fail at once if the episode is gone, and name the failures in the contract`() throws {
        let call = try downloads.start(\.$start, 1)
        test.server.parts.fail(with: PodcastFailure.gone)
        #expect(call.answer == .failure(ActionFailure("gone", message: "There is no such episode.")))
        let document = try downloads.client.request("rpc.discover")
        let errors = document["x-viewModels"]?["downloads"]?["actions"]?["start"]?["errors"]?.arrayValue
        #expect(errors?.count == 7)
        #expect(errors?.first?["error"] == "unreachable")
    }
}
