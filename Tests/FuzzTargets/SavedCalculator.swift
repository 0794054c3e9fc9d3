import JSONRPC
import ReferenceViewModels

/// Restores a calculator from the first line of the input, then presses the keys of the rest.
///
/// A calculator that was restored is saved as the same one, and works. `u` and `c` stand for undo and clear.
func fuzzCalculator(_ input: UnsafeRawBufferPointer) {
    let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let saved = lines.first, var brain = restored(Array(saved)) else { return }
    check(brain)
    for sign in lines.count > 1 ? String(decoding: lines[1], as: UTF8.self) : "" {
        switch sign {
        case "u": brain.undo()
        case "c": brain.clear()
        default: _ = Key(rawValue: String(sign)).map { brain.press($0) }
        }
    }
    check(brain)
    brain.clear()
    require(!brain.canUndo && !brain.canClear && brain.led == "0", "a cleared calculator shows \(brain.led)")
}

private func check(_ brain: CalculatorBrain) {
    require((0...1000).contains(brain.operationCount), "\(brain.operationCount) operations are kept")
    let ids = brain.operations.map(\.id)
    require(ids == Set(ids).sorted(by: >), "the ids \(ids) do not descend")
    var writer = JSONWriter()
    guard (try? writer.encode(brain)) != nil else { fatalError("it cannot be saved: \(brain)") }
    let again = restored(writer.bytes)
    require(again == brain, "\(brain) became \(String(describing: again))")
}

private func restored(_ text: [UInt8]) -> CalculatorBrain? {
    text.withUnsafeBytes { text in
        guard (try? JSONText.validate(text)) != nil else { return nil }
        return try? JSONValueDecoder.decode(CalculatorBrain.self, from: text)
    }
}
