import ViewModelKit

/// A four-function calculator with the history of its operations.
///
/// All calculators and keypads of a session share it. A problem, such as a division by zero, is the event
/// `prompter.hint`.
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

/// The calculator model that the ViewModels of one session share, and the list of its operations.
///
/// Isolation: confined to its session.
final class Calculation<Brain: Calculating> {
    let brain: Cell<Brain>
    /// The completed operations, newest first.
    let operations: ListCell<CalculatorOperation>

    init(_ brain: Brain) {
        self.brain = Cell(brain, restoring: "calculation")
        operations = ListCell(self.brain.untracked.operations)
    }

    func press(_ key: Key, _ prompter: Prompter) {
        if let problem = brain.update({ $0.press(key) }) {
            prompter.hint(problem.message, level: .error)
        }
        follow()
    }

    func undo() {
        brain.update { $0.undo() }
        follow()
    }

    func clear() {
        brain.update { $0.clear() }
        follow()
    }

    /// Updates the list of operations.
    ///
    /// It compares only the front, where operations are added and removed, and the end, where old ones are dropped.
    private func follow() {
        let brain = brain.untracked
        let oldest = brain.operationCount > 0 ? brain.operation(at: brain.operationCount - 1).id : nil
        while let oldest, operations.count > 0, operations[operations.count - 1].id < oldest {
            operations.remove(at: operations.count - 1)
        }
        while operations.count > brain.operationCount {
            operations.remove(at: 0)
        }
        while operations.count < brain.operationCount {
            operations.insert(brain.operation(at: brain.operationCount - operations.count - 1), at: 0)
        }
    }
}
