import PodcastModel
import ViewModelKit

/// What is played, and what comes next.
@SharedModel
final class Playback {
    /// The episodes that come next.
    @State(.session) var queue: Rows<Episode> = []
    @State(.session) private(set) var current: Episode?
    @State private(set) var isPlaying = false
    /// The time that was heard when the playing began or was last saved.
    @State(.session) private var heard = Duration.zero
    private var since = Duration.zero
    private var end: SessionTimer?
    private var saving: SavePreparation?
    private let clock: SessionClock

    init(clock: SessionClock) {
        self.clock = clock
        saving = clock.willSave(while: $isPlaying) { [unowned self] in note(position) }
    }

    /// The position in the current episode.
    var position: Duration { isPlaying ? heard + clock.now - since : heard }

    func enqueue(_ episode: Episode) { queue.upsert(episode) }

    func play() {
        if current == nil { current = queue.isEmpty ? nil : queue.remove(at: 0) }
        isPlaying = current != nil
        seek(to: heard)
    }

    func pause() {
        note(position)
        isPlaying = false
        end = nil
    }

    /// Continues at a position, or with the next episode if the current one is shorter.
    func seek(to position: Duration) {
        note(max(position, .zero))
        guard isPlaying, let current else { return }
        end = clock.timer(after: .seconds(current.length) - heard) { [unowned self] in skip() }
    }

    /// Plays the next episode, or ends.
    func skip() {
        current = nil
        note(.zero)
        play()
    }

    private func note(_ position: Duration) {
        heard = position
        since = clock.now
    }
}
