/// A pocket calculator: takes keys, shows a number and keeps a list of what was calculated.
///
/// It evaluates at once, from left to right: `2 + 3 * 4 =` shows `20`. Numbers have 16 significant digits; results are
/// rounded to them, halves away from zero, and are below 10¹⁰⁰ in magnitude.
///
/// A number completed by an operator or by `=` becomes an operation. One without an operator begins a calculation; the
/// others work on the running result, which is what the operations so far come to. Hence:
///
/// - A digit after `=`, or after ``undo()``, begins a new calculation. An operator there goes on from the running result.
/// - An operator with nothing before it makes an operation of the number `0`. An operator right after an operator replaces
///   it; `=` right after an operator drops it.
/// - A result that is not there (dividing by zero, 10¹⁰⁰ or more in magnitude after rounding) leaves the operations and so
///   the running result as they were. What was typed and pending is dropped; an operator key that was the cause then
///   waits: `8 / 0 + 1 =` shows `9`.
/// - A result that is below 10⁻¹⁰⁰ in magnitude after rounding is `0`, and that is no problem. There is no `-0`.
///
/// Where a number is typed:
///
/// - At most 16 digits are taken, further ones are ignored. A `0` alone before the point does not count, zeros behind the
///   point do.
/// - The display shows it as it is typed (`1.50`, `5.`); its operation shows it as a result would be shown (`1.5`, `5`).
/// - A `0` in the initial state leaves it initial, so that there is still nothing to clear and `=` does nothing. A point is
///   something typed: `.` shows `0.`, and `. =` makes an operation `0`.
///
/// The newest 1,000 operations are kept. Older ones fall away: they cannot be taken back, and their results stay in the
/// running result.
///
/// Every change costs the same, however many operations there were, as long as no other copy of the value is alive.
public struct CalculatorBrain: Calculating {
    /// The most operations that are kept.
    static let capacity = 1000

    /// The operations, the oldest first, each with the running result that it leads to.
    var rows: [Row] = []
    /// The running result of the operations that fell away; nil where none did.
    var base: DecimalNumber?
    /// The operator that waits for a number; there is none before the first row.
    var pending: Operator?
    /// The number being typed.
    var entry: Entry?
    /// The id of the next row.
    var nextID = 1

    /// Creates a calculator in its initial state, which shows `0`.
    public init() {}

    /// The text on the display: the number being typed, else the running result.
    public var led: String { entry?.text ?? result.description }

    /// What was calculated, the newest first.
    ///
    /// Ids ascend from `1` and are never used twice, neither after ``undo()`` nor after ``clear()``. Linear in the number
    /// of operations.
    public var operations: [CalculatorOperation] { rows.reversed().map(\.operation) }

    /// The number of ``operations``, in constant time.
    public var operationCount: Int { rows.count }

    /// Returns one of the ``operations``, in constant time.
    ///
    /// - Parameter index: An index below ``operationCount``; `0` is the newest. Any other is a programmer's error.
    public func operation(at index: Int) -> CalculatorOperation {
        rows[rows.count - 1 - index].operation
    }

    /// Whether there is an operation to take back.
    ///
    /// What is only typed or pending is none.
    public var canUndo: Bool { !rows.isEmpty }

    /// Whether anything is typed or was calculated.
    ///
    /// Which ids were used does not matter.
    public var canClear: Bool { !isInitial }

    /// Takes a key.
    ///
    /// - Parameter key: The key that was pressed.
    /// - Returns: ``CalculatorProblem/divisionByZero`` or ``CalculatorProblem/overflow`` if what the key completed has no
    ///   result. The key has been dealt with all the same.
    public mutating func press(_ key: Key) -> CalculatorProblem? {
        switch key.role {
        case .digit(let digit):
            if !isInitial || digit != 0 {
                entry = entry ?? Entry()
                entry?.append(digit)
            }
            return nil
        case .point:
            entry = entry ?? Entry()
            entry?.appendPoint()
            return nil
        case .operator(let `operator`):
            if isInitial {
                entry = Entry()
            }
            let problem = complete()
            pending = `operator`
            return problem
        case .equals:
            return complete()
        }
    }

    /// Takes the newest operation back, drops what is typed or pending and shows the running result of the operations left.
    ///
    /// With no operation it does nothing; what is typed then stays.
    public mutating func undo() {
        guard canUndo else { return }
        // Every row knows what it led to, so the result is the very same as before.
        rows.removeLast()
        pending = nil
        entry = nil
    }

    /// Returns to the initial state.
    ///
    /// Ids go on from where they were.
    public mutating func clear() {
        rows = []
        base = nil
        pending = nil
        entry = nil
    }
}

extension CalculatorBrain {
    /// An operation and the running result that it leads to.
    struct Row: Equatable {
        let id: Int
        /// `nil` where a calculation begins.
        let `operator`: Operator?
        let number: DecimalNumber
        let result: DecimalNumber

        var operation: CalculatorOperation {
            CalculatorOperation(id: id, text: `operator`.map { "\($0.rawValue) \(number)" } ?? number.description)
        }
    }

    private var result: DecimalNumber { rows.last?.result ?? base ?? .zero }

    private var isInitial: Bool { rows.isEmpty && base == nil && entry == nil }

    /// Makes a row of what is typed and pending, and drops both.
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
