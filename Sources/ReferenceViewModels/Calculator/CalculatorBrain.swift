/// A pocket calculator that processes keys, shows a number and keeps a list of its operations.
///
/// It evaluates at once, from left to right: `2 + 3 * 4 =` shows `20`. Numbers have 16 significant digits; results are
/// rounded to them, halves away from zero, and are below 10¹⁰⁰ in magnitude.
///
/// An operator or `=` completes the typed number to an operation. An operation without an operator starts a
/// calculation. The others change the running result, which is the result of the operations so far. Rules:
///
/// - A digit after `=` or ``undo()`` starts a new calculation. An operator there continues from the running result.
/// - An operator in the initial state makes an operation of the number `0`. An operator right after an operator
///   replaces it. `=` right after an operator drops it.
/// - A calculation without a result (a division by zero, or 10¹⁰⁰ or more in magnitude after rounding) leaves the
///   operations and the running result unchanged. The typed number and the pending operator are dropped. If an operator
///   key was the cause, that operator is pending then: `8 / 0 + 1 =` shows `9`.
/// - A result below 10⁻¹⁰⁰ in magnitude after rounding is `0` and not a problem. A `-0` does not exist.
///
/// Rules for a typed number:
///
/// - It has at most 16 digits, and further ones are ignored. A single `0` before the point does not count. Zeros after
///   the point count.
/// - The display shows it as it is typed (`1.50`, `5.`). Its operation shows it like a result (`1.5`, `5`).
/// - A `0` in the initial state is ignored, so ``canClear`` stays false and `=` does nothing. A point is not ignored:
///   `.` shows `0.`, and `. =` makes an operation `0`.
///
/// The newest 1,000 operations are kept. Older ones are dropped. They cannot be undone, and their results stay in the
/// running result.
///
/// The cost of a change does not grow with the number of past operations, as long as no other copy of the value exists.
package struct CalculatorBrain: Calculating {
    /// The maximum number of kept operations.
    static let capacity = 1000

    /// The operations, oldest first, each with the running result after it.
    var rows: [Row] = []
    /// The running result of the dropped operations; nil before the first one is dropped.
    var base: DecimalNumber?
    /// The operator that waits for a number; nil before the first operation.
    var pending: Operator?
    /// The number being typed.
    var entry: TypedNumber?
    var nextID = 1

    /// Creates a calculator in its initial state, which shows `0`.
    package init() {}

    package var led: String { entry?.text ?? result.description }

    /// The completed operations, newest first.
    ///
    /// Ids ascend from `1`. An id is never used twice, even after ``undo()`` or ``clear()``.
    package var operations: [CalculatorOperation] { rows.reversed().map(\.operation) }

    package var operationCount: Int { rows.count }

    package func operation(at index: Int) -> CalculatorOperation {
        rows[rows.count - 1 - index].operation
    }

    /// Whether ``undo()`` has an operation to remove.
    ///
    /// A typed number or a pending operator is not an operation.
    package var canUndo: Bool { !rows.isEmpty }

    /// Whether a number is typed or an operation exists.
    ///
    /// The next id does not count as a change.
    package var canClear: Bool { !isInitial }

    package mutating func press(_ key: Key) -> CalculatorProblem? {
        if key.isTyped {
            if !isInitial || key != .zero {
                entry = entry ?? TypedNumber()
                entry?.append(key)
            }
            return nil
        }
        let next = Operator(rawValue: key.rawValue)
        if next != nil, isInitial { entry = TypedNumber() }
        let problem = complete()
        pending = next
        return problem
    }

    /// Removes the newest operation, the typed number and the pending operator.
    ///
    /// The display then shows the running result of the remaining operations. Without an operation it does nothing, and
    /// the typed number stays.
    package mutating func undo() {
        guard canUndo else { return }
        // Every row stores its running result, so the result is exactly the former one.
        rows.removeLast()
        pending = nil
        entry = nil
    }

    /// Returns to the initial state.
    ///
    /// The ids continue from the last one.
    package mutating func clear() {
        rows = []
        base = nil
        pending = nil
        entry = nil
    }
}

extension CalculatorBrain {
    /// An operation and the running result after it.
    struct Row: Equatable {
        let id: Int
        /// The operator; `nil` at the start of a calculation.
        let `operator`: Operator?
        let number: DecimalNumber
        let result: DecimalNumber

        var operation: CalculatorOperation {
            CalculatorOperation(id: id, text: `operator`.map { "\($0.rawValue) \(number)" } ?? number.description)
        }
    }

    private var result: DecimalNumber { rows.last?.result ?? base ?? .zero }

    var isInitial: Bool { rows.isEmpty && base == nil && entry == nil }

    /// Appends a row for the typed number and the pending operator, and clears both.
    private mutating func complete() -> CalculatorProblem? {
        defer {
            pending = nil
            entry = nil
        }
        guard let entry else { return nil }
        do {
            try append(pending, entry.value)
            return nil
        } catch {
            return error
        }
    }

    mutating func append(_ operator: Operator?, _ number: DecimalNumber) throws(CalculatorProblem) {
        let result = try `operator`?(result, number) ?? number
        rows.append(Row(id: nextID, operator: `operator`, number: number, result: result))
        nextID += 1
        if rows.count > Self.capacity { base = rows.removeFirst().result }
    }
}
