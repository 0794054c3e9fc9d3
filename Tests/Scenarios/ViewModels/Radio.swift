import Foundation
import ViewModelKit

/// A radio that counts how long one has listened.
@ViewModel
final class Radio {
    @Output(every: .seconds(1), while: \Radio.isPlaying) var heard: Int { Int(time / .seconds(1)) }
    @Output(every: .seconds(1)) var date: Int { Int(clock.date.timeIntervalSince1970) }
    @State private(set) var isPlaying = false
    @State(.session) private var saved = 0.0

    private(set) var saves = 0
    private var started = Duration.zero
    private var saving: SavePreparation?
    private let clock: SessionClock
    private var time: Duration { .seconds(saved) + (isPlaying ? clock.now - started : .zero) }

    init(clock: SessionClock) {
        self.clock = clock
        saving = clock.willSave(while: $isPlaying) { [unowned self] in
            saves += 1
            note()
        }
    }

    private func note() {
        saved = time / .seconds(1)
        started = clock.now
    }

    @Input func play(_ plays: Bool) {
        note()
        isPlaying = plays
    }
}
