import ViewModelKit

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
