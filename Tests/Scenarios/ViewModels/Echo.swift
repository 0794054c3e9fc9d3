import ViewModelKit

/// Shows what the board of the same session shows, too.
@ViewModel
final class Echo {
    struct Inputs {
        /// Sets the value.
        let set = Input<Int>()
    }
    struct Outputs {
        /// What was set last, here or there.
        let value: Output<Int>
    }
    let inputs = Inputs(), outputs: Outputs

    init(state: BoardState) {
        inputs.set.assign(to: state.value)
        outputs = Outputs(value: Output(state.value.map { -$0 }))
    }
}
