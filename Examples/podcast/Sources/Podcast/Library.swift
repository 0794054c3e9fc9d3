import Foundation
import PodcastModel
import ViewModelKit

/// All episodes, which one searches while one types.
@ViewModel
public final class Library {
    /// The order of the episodes.
    @Schemable
    enum Order: String, CaseIterable { case newest, oldest, title }

    /// An episode as people read it.
    @Schemable
    struct Row: Identifiable {
        let id: Int
        let title: String
        /// Such as `Birds, 7 March 2026, 42 min`.
        let details: String

        init(_ episode: Episode) {
            id = episode.id
            title = episode.title
            let date = episode.published.formatted(date: .long, time: .omitted)
            details = "\(episode.podcast), \(date), \(episode.length / 60) min"
        }
    }

    /// The searched text, as it is typed.
    @Field var search = ""
    /// The order of the found episodes.
    @Field var order: Order = .newest
    /// The episodes with the searched text in their titles, for a window.
    @Rows(of: Row.init) var found: [Episode] { matches }
    /// The number of found episodes as text for people.
    @Output var summary: String { matches.count == 1 ? "1 episode" : "\(matches.count) episodes" }

    @State private var searched = ""
    @State private var matches: [Episode] = []
    private let episodes: Episodes
    private let prompter: Prompter

    private var query: Query { Query(text: searched, order: order, episodes: episodes.all.value) }

    init(episodes: Episodes, prompter: Prompter) {
        self.episodes = episodes
        self.prompter = prompter
        // Off the session, so that no client waits for a search.
        $matches.compute(from: self, \.query) { query in query.matches }
        // The list follows when nothing was typed for a quarter of a second.
        inputs.search.debounce(for: .milliseconds(250)).assign(to: $searched)
    }

    /// Loads the episodes, which also happens when the library is opened.
    @Action(.shared, runs: .atOpen)
    func load() async throws(PodcastFailure) { try await episodes.load() }

    /// Deletes episodes after a confirmation, and returns their number.
    @Throws(PodcastFailure.self)
    @Action
    func delete(_ ids: [Int]) async throws -> Int {
        let question = ids.count == 1 ? "Delete 1 episode?" : "Delete \(ids.count) episodes?"
        guard try await prompter.confirm(question, destructive: "Delete") else { return 0 }
        try await episodes.delete(ids)
        return ids.count
    }
}

/// A search for episodes.
private struct Query: Equatable, Sendable {
    let text: String
    let order: Library.Order
    let episodes: [Episode]

    var matches: [Episode] {
        let found = text.isEmpty ? episodes : episodes.filter { $0.title.contains(text) }
        return switch order {
        case .newest: found.sorted { $0.published > $1.published }
        case .oldest: found.sorted { $0.published < $1.published }
        case .title: found.sorted { $0.title < $1.title }
        }
    }
}
