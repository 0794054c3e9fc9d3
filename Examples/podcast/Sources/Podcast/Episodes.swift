import PodcastModel
import ViewModelKit

/// The episodes that the ViewModels of a session know.
@SharedModel
final class Episodes {
    @State var all: Rows<Episode> = []
    private let server: any PodcastServer

    /// Loads the episodes from the server.
    func load() async throws(PodcastFailure) {
        all.replaceAll(with: try await server.episodes())
    }

    /// Deletes episodes on the server and here.
    func delete(_ ids: [Int]) async throws(PodcastFailure) {
        try await server.delete(ids)
        all.removeAll(ids: ids)
    }

    /// Returns the episode with this id.
    func episode(_ id: Int) throws(InvalidValue) -> Episode {
        guard let episode = all[id: id] else { throw InvalidValue(expected: "the id of an episode", found: "\(id)") }
        return episode
    }
}
