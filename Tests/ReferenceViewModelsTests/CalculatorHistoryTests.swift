import Foundation
import Testing
import ViewModelKit
import ViewModelTesting

@testable import ReferenceViewModels

/// The newest 1,000 operations are kept.
@Suite struct CalculatorHistoryTests {
    /// A calculator that has added 1 so many times.
    private static func counted(to count: Int) -> CalculatorBrain {
        var brain = CalculatorBrain()
        for _ in 1...count {
            _ = brain.press(.one)
            _ = brain.press(.add)
        }
        return brain
    }

    @Test func `older operations fall away and stay in the result`() throws {
        var brain = Self.counted(to: 1234)
        #expect(brain.operationCount == 1000)
        #expect(brain.led == "1234")
        #expect(brain.operation(at: 999) == CalculatorOperation(id: 235, text: "+ 1"))
        for _ in 1...999 { brain.undo() }
        #expect(brain.led == "235")
        brain.undo()
        #expect(brain.led == "234")
        #expect(!brain.canUndo)
        #expect(brain.canClear)
        brain.undo()
        #expect(brain.led == "234")
    }

    @Test func `a calculation goes on from what fell away`() throws {
        var brain = Self.counted(to: 1001)
        for _ in 1...1000 { brain.undo() }
        _ = brain.press(.equals)
        #expect(brain.led == "1")
        for key in [Key.add, .two, .equals] { _ = brain.press(key) }
        #expect(brain.led == "3")
        #expect(brain.operations.map(\.text) == ["+ 2"])
        brain.clear()
        #expect(brain.led == "0")
        #expect(!brain.canClear)
    }

    @Test(arguments: [1000, 1001, 1500])
    func `what fell away is saved, too`(count: Int) throws {
        var brain = Self.counted(to: count)
        var restored = try JSONDecoder().decode(CalculatorBrain.self, from: JSONEncoder().encode(brain))
        #expect(restored == brain)
        for _ in 1...1000 {
            brain.undo()
            restored.undo()
        }
        #expect(restored.led == brain.led)
        let again = try JSONDecoder().decode(CalculatorBrain.self, from: JSONEncoder().encode(restored))
        #expect(again == restored)
    }

    @Test func `a longer history that was saved before there was a limit is cut`() throws {
        let rows = (1...1200).map { #"{"id":\#($0),"text":"\#($0 == 1 ? "" : "+ ")1"}"# }.joined(separator: ",")
        let text = #"{"operations":[\#(rows)],"nextID":1201}"#
        let brain = try JSONDecoder().decode(CalculatorBrain.self, from: Data(text.utf8))
        #expect(brain.led == "1200")
        #expect(brain.operationCount == 1000)
    }

    @Test func `clients see the same 1,000 operations as the model`() throws {
        let calculator = try Harness(Calculator.self) { context in
            Calculator(calculation: Calculation(CalculatorBrain()), prompter: context.prompter)
        }
        for _ in 1...1003 {
            try calculator.send(\.inputs.press, .one)
            try calculator.send(\.inputs.press, .add)
        }
        let ids = try calculator.read(\.outputs.operations).map(\.id)
        #expect(ids == Array((4...1003).reversed()))
        for _ in 1...1000 { try calculator.run(\.actions.undo) }
        #expect(try calculator.read(\.outputs.operations).isEmpty)
        #expect(try calculator.read(\.outputs.led) == "3")
        #expect(try !calculator.isEnabled(\.actions.undo))
        try calculator.run(\.actions.clear)
        #expect(try calculator.read(\.outputs.led) == "0")
    }
}
