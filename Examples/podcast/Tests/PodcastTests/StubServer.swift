import Foundation
import PodcastModel
import ViewModelKit
import ViewModelTesting

@testable import Podcast

/// A server whose calls the test ends.
struct StubServer: PodcastServer {
    let feed = TypedEffect<Void, [Episode], PodcastFailure>(whenCancelled: .cutOff)
    let deletions = TypedEffect<[Int], Void, PodcastFailure>(whenCancelled: .cutOff)
    /// The episodes of the requested parts.
    let parts = TypedEffect<Int, Part, PodcastFailure>(whenCancelled: .cutOff)

    func episodes() async throws(PodcastFailure) -> [Episode] { try await feed() }
    func delete(_ ids: [Int]) async throws(PodcastFailure) { try await deletions(ids) }
    func part(of id: Int, from start: Int) async throws(PodcastFailure) -> Part { try await parts(id) }
}

/// The catalog of the daemon, with a stub of the server and a folder of the test's own.
final class TestCatalog {
    let server = StubServer()
    let folder = FileManager.default.temporaryDirectory.appending(path: "podcast-\(UUID())").path
    private(set) var catalog = ViewModelCatalog()

    init() throws {
        catalog.provide(server)
        catalog.provide(DownloadFolder(folder))
        try catalog.host(Library.self, Player.self, Downloads.self, Settings.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A library that has loaded the episodes 1 to `count`.
    func library(_ count: Int = 5, in session: SessionHarness? = nil) throws -> Harness<Library> {
        let library = try session?.open(Library.self) ?? Harness(Library.self, in: catalog)
        server.feed.complete(with: (1...count).map(Episode.numbered))
        return library
    }
}

extension Episode {
    /// The episodes are as old as their number is small, and 100 s long.
    static func numbered(_ id: Int) -> Episode {
        let topic = ["birds", "trains", "bread"][id % 3]
        let published = Date(timeIntervalSince1970: 1_700_000_000 + Double(id) * 86_400)
        return Episode(id: id, title: "\(id): \(topic)", podcast: "Made up", published: published, length: 100)
    }
}
