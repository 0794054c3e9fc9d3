import Foundation
import Logging
import ServiceLifecycle
import UnixSignals
import ViewModelKit
import ViewModelServer

// A daemon of an author's own with a long list, for the benchmark. It listens at the socket of its first argument and
// keeps its state in the directory of its second one.

/// An episode of a podcast.
struct Episode: Identifiable, Equatable, Sendable {
    let id: Int
    let title: String
    let podcast: String
    let published: Date
    let length: Duration

    /// Episodes of several years.
    static let all = (1...50_000).map { number in
        Episode(
            id: number,
            title: "Episode \(number) about \(["birds", "trains", "bread", "glaciers", "radios"][number % 5])",
            podcast: "Podcast \(number % 40)",
            published: Date(timeIntervalSince1970: 1_500_000_000 + Double(number) * 3600),
            length: .seconds(600 + number % 4000)
        )
    }
}

/// An episode as people read it.
@Schemable
struct Row: Identifiable {
    let id: Int
    let title: String
    let details: String

    init(episode: Episode) {
        id = episode.id
        title = episode.title
        details = "\(episode.podcast), \(episode.published.formatted(.iso8601)), \(episode.length.formatted())"
    }
}

/// A library that one searches as one types.
@ViewModel
final class Library {
    /// The searched text.
    @Field var search = ""
    /// The episodes whose titles contain it.
    @Rows(of: Row.init(episode:)) var found: [Episode] { episodes.filter { $0.title.contains(search) } }

    private let episodes = Episode.all

    /// Returns the number of episodes that a search for this text finds, and shows none.
    @Action func count(_ text: String) -> Int { episodes.filter { $0.title.contains(text) }.count }
}

var catalog = ViewModelCatalog()
try catalog.host(Library.self) { _ in Library() }
let logger = Logger(label: "episodes")
let server = try ViewModelServer(
    catalog: catalog,
    socket: CommandLine.arguments[1],
    state: try StateDirectory(CommandLine.arguments[2]),
    name: "episodes",
    version: "0",
    logger: logger
)
try await ServiceGroup(services: [server], gracefulShutdownSignals: [.sigterm], logger: logger).run()
