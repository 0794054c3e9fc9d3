import ViewModelKit

/// A player of records.
@ViewModel
final class Turntable {
    @Output private(set) var isPlaying = false
    @Output(every: .seconds(1), while: \Turntable.isPlaying) var position: Int {
        Int((isPlaying ? played + clock.now - started : played) / .seconds(1))
    }

    private var started = Duration.zero
    private var played = Duration.zero
    private let clock: SessionClock

    init(clock: SessionClock) { self.clock = clock }

    @Input func play(_ plays: Bool) {
        guard plays != isPlaying else { return }
        if plays { started = clock.now } else { played += clock.now - started }
        isPlaying = plays
    }
}
