import Foundation
import ReferenceViewModels
import Testing

struct CalculatingTests {
    /// A calculator of somebody else: it knows digits only.
    private struct Echo: Calculating {
        var led = "0"
        var operations: [CalculatorOperation] = []
        var canUndo: Bool { !operations.isEmpty }
        var canClear: Bool { canUndo }

        mutating func press(_ key: Key) -> CalculatorProblem? {
            guard Int(key.rawValue) != nil else { return CalculatorProblem(code: "noDigit", message: "Digits only") }
            led = key.rawValue
            operations.insert(CalculatorOperation(id: operations.count + 1, text: led), at: 0)
            return nil
        }

        mutating func undo() { operations.removeFirst() }
        mutating func clear() { self = Echo() }
    }

    @Test func `another model takes the brain's place`() {
        func run(_ model: some Calculating) -> [Int] {
            var model = model
            _ = model.press(.seven)
            _ = model.press(.equals)
            #expect(model.led == "7")
            #expect(model.operation(at: 0) == CalculatorOperation(id: 1, text: "7"))
            return model.operations.map(\.id)
        }
        #expect(run(CalculatorBrain()) == run(Echo()))
    }
}
