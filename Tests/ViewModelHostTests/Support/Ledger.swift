import ViewModelKit
import ViewModelTesting

/// Keeps numbers, also on another node.
@ViewModel
final class Ledger {
    struct Inputs {
        /// Adds a number.
        let note = Input<Int>()
    }
    struct Outputs {
        /// The numbers in the order of their addition.
        let numbers: Output<[Int]>
    }
    struct Actions {
        /// Adds a number and returns how many there are.
        @Policy(.concurrent) let add: Action<Int, Int>
        /// Waits for the test.
        @Policy(.concurrent) let work: Action<Int, Int>
    }
    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(work: Effect<Int, Int>) {
        let numbers = Cell<[Int]>([], restoring: "numbers")
        inputs.note.sink { numbers.value.append($0) }
        outputs = Outputs(numbers: Output(numbers))
        actions = Actions(
            add: Action { number in
                numbers.value.append(number)
                return numbers.value.count
            },
            work: Action { try await work($0) }
        )
    }
}
