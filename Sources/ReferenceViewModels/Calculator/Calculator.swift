import ViewModelKit

/// A four-function calculator with the history of its operations.
@ViewModel
final class Calculator {
    struct Inputs {
        /// One key: a digit, the point, an operator or `=`; the same as `keypad.press`.
        let press = Input<Key>()
    }
    struct Outputs {
        /// What the LED line shows.
        let led: Output<String>
        /// Completed operations, the newest first.
        let operations: ListOutput<CalculatorOperation>
    }
    struct Actions {
        /// Removes the newest operation.
        let undo: Action<Void, Void>
        /// Returns the calculator to its initial state.
        let clear: Action<Void, Void>
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions

    /// Creates the ViewModel for a calculation, which it shares with `Keypad` of the same session.
    init(calculation: Calculation<some Calculating>, prompter: Prompter) {
        let brain = calculation.brain
        inputs.press.sink { calculation.press($0, prompter) }
        outputs = Outputs(led: Output(brain.map { $0.led }), operations: ListOutput(calculation.operations))
        actions = Actions(
            undo: Action(enabled: brain.map { $0.canUndo }) { calculation.undo() },
            clear: Action(enabled: brain.map { $0.canClear }) { calculation.clear() }
        )
    }
}
