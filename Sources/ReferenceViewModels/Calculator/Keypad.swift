import ViewModelKit

/// The keys of the calculator as a separate page.
@ViewModel
final class Keypad {
    struct Inputs {
        /// One key: a digit, the point, an operator or `=`.
        let press = Input<Key>()
    }

    let inputs = Inputs()

    init(calculation: Calculation<some Calculating>, prompter: Prompter) {
        inputs.press.sink { calculation.press($0, prompter) }
    }
}
