import ViewModelKit

/// Takes values that can be written in several ways.
@ViewModel
final class Scales {
    struct Inputs {
        /// Weighs things by name.
        let weigh = Input<[[String: Int]]>()
        /// Takes any value.
        let note = Input<JSON>()
    }
    struct Outputs {
        /// The number of values that were taken.
        let count: Output<Int>
    }
    let inputs = Inputs(), outputs: Outputs

    init() {
        let count = Cell(0)
        inputs.weigh.sink { _ in count.value += 1 }
        inputs.note.sink { _ in count.value += 1 }
        outputs = Outputs(count: Output(count))
    }
}
