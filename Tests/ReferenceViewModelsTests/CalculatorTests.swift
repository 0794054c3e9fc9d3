import Testing
import ViewModelKit
import ViewModelTesting

@testable import ReferenceViewModels

/// The calculator as clients see it.
@Suite struct CalculatorTests {
    /// Another model: it counts keys.
    private struct Counter: Calculating {
        var led: String { "\(operations.count) keys" }
        var operations: [CalculatorOperation] = []
        var operationCount: Int { operations.count }
        var canUndo: Bool { !operations.isEmpty }
        var canClear: Bool { canUndo }

        func operation(at index: Int) -> CalculatorOperation { operations[index] }

        mutating func press(_ key: Key) -> CalculatorProblem? {
            operations.insert(CalculatorOperation(id: operations.count + 1, text: key.rawValue), at: 0)
            return nil
        }

        mutating func undo() { operations.removeFirst() }
        mutating func clear() { self = Counter() }
    }

    private func harness(_ brain: some Calculating) throws -> Harness<Calculator> {
        try Harness(Calculator.self) { context in
            Calculator(calculation: Calculation(brain), prompter: context.prompter)
        }
    }

    @Test func `the brain is swapped without touching the ViewModel`() throws {
        let calculator = try harness(Counter())
        try calculator.send(\.inputs.press, .seven)
        try calculator.send(\.inputs.press, .add)
        #expect(try calculator.read(\.outputs.led) == "2 keys")
        #expect(try calculator.read(\.outputs.operations).map(\.text) == ["+", "7"])
        try calculator.run(\.actions.undo)
        #expect(try calculator.read(\.outputs.led) == "1 keys")
        try calculator.run(\.actions.clear)
        #expect(try calculator.read(\.outputs.led) == "0 keys")
        #expect(try !calculator.isEnabled(\.actions.undo))
    }

    @Test func `dividing by zero is told as a hint and changes no row`() throws {
        let calculator = try harness(CalculatorBrain())
        for key in [Key.eight, .divide, .zero, .equals] { try calculator.send(\.inputs.press, key) }
        #expect(try calculator.hints.map(\.level) == [.error])
        #expect(try calculator.read(\.outputs.operations).map(\.text) == ["8"])
    }
}
