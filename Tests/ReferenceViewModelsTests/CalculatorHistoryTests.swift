import Foundation
import ReferenceViewModels
import Testing

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

    @Test(arguments: [1000, 1001, 1234])
    func `older operations fall away and stay in the result, also of a saved calculator`(count: Int) throws {
        let brain = Self.counted(to: count)
        var restored = try JSONDecoder().decode(CalculatorBrain.self, from: JSONEncoder().encode(brain))
        #expect(restored == brain)
        #expect(restored.operationCount == 1000)
        #expect(restored.led == "\(count)")
        #expect(restored.operations.map(\.id) == Array((count - 999...count).reversed()))
        for _ in 1...1000 { restored.undo() }
        let left = "\(count - 1000)"
        #expect(restored.led == left && !restored.canUndo && restored.canClear == (count > 1000))
        restored.undo()
        #expect(restored.led == left)
        let again = try JSONDecoder().decode(CalculatorBrain.self, from: JSONEncoder().encode(restored))
        #expect(again == restored)
        // A calculation goes on from what fell away.
        for key in [Key.add, .two, .equals] { _ = restored.press(key) }
        #expect(restored.led == "\(count - 998)")
        #expect(restored.operations.first?.text == "+ 2")
        restored.clear()
        #expect(restored.led == "0" && !restored.canClear)
    }

    @Test func `a longer history that was saved before there was a limit is cut`() throws {
        let rows = (1...1200).map { #"{"id":\#($0),"text":"\#($0 == 1 ? "" : "+ ")1"}"# }.joined(separator: ",")
        let text = #"{"operations":[\#(rows)],"nextID":1201}"#
        let brain = try JSONDecoder().decode(CalculatorBrain.self, from: Data(text.utf8))
        #expect(brain.led == "1200")
        #expect(brain.operationCount == 1000)
    }
}
