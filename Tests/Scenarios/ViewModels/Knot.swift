import ViewModelKit

/// Holds itself by every closure that it gives away.
@ViewModel
final class Knot {
    struct Inputs {
        /// Counts.
        let tap = Input<Void>()
    }
    struct Outputs {
        /// How often it was tapped.
        let taps: Output<Int>
    }
    struct Actions {
        /// Counts, and waits for a day.
        let wait: Action<Void, Void>
    }
    let inputs = Inputs(), outputs: Outputs, actions: Actions
    private let taps: Cell<Int>

    init(clock: SessionClock) {
        let taps = Cell(0)
        self.taps = taps
        outputs = Outputs(taps: Output(taps))
        var count: (() -> Void)?
        actions = Actions(
            wait: Action {
                count?()
                try await clock.sleep(for: .seconds(86_400))
            }
        )
        count = { self.taps.value += 1 }
        inputs.tap.sink { self.taps.value += 1 }
    }
}
