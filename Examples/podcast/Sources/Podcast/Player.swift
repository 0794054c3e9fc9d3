import PodcastModel
import ViewModelKit

/// Plays episodes.
@ViewModel
public final class Player {
    /// The title of the current episode, null without one.
    @Output var title: String? { playback.current?.title }
    /// Whether the current episode is played.
    @Output var isPlaying: Bool { playback.isPlaying }
    /// The seconds that were heard of the current episode.
    @Output(every: .seconds(1), while: \Player.isPlaying) var position: Int { Int(playback.position / .seconds(1)) }
    /// The episodes that come next.
    @Output var queue: Rows<Episode> { playback.queue }

    private var hasEpisode: Bool { playback.current != nil }
    private var canPlay: Bool { !isPlaying && (hasEpisode || !playback.queue.isEmpty) }
    private let playback: Playback
    private let episodes: Episodes

    /// Appends the episode with this id to the queue.
    @Input func enqueue(_ id: Int) throws { playback.enqueue(try episodes.episode(id)) }
    /// Removes the episode with this id from the queue.
    @Input func remove(_ id: Int) throws { try playback.queue.remove(id: id) }
    /// Moves the episode with this id in the queue, to 0 for the next one.
    @Input func move(_ id: Int, to position: Int) throws { try playback.queue.move(id: id, to: position) }
    /// Jumps forward or back by this many seconds.
    @Input func jump(_ seconds: Int) { playback.seek(to: playback.position + .seconds(seconds)) }
    /// Plays or continues.
    @Action(enabled: \Player.canPlay) func play() { playback.play() }
    /// Pauses.
    @Action(enabled: \Player.isPlaying) func pause() { playback.pause() }
    /// Goes on with the next episode.
    @Action(enabled: \Player.hasEpisode) func skip() { playback.skip() }
}
