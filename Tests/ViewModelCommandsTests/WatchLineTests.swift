import Testing
import ViewModelProtocol

@testable import ViewModelClient
@testable import ViewModelCommands

@Suite struct WatchLineTests {
    private func update(_ values: JSONObject, isFull: Bool = true) -> BindingUpdate {
        let picture = Picture(id: "lab", epoch: "e", seq: 5, values: values)
        return BindingUpdate(picture: picture, change: Picture.Change(outputs: ["b"]), isFull: isFull)
    }

    @Test func `the members of values are in the order of the picture`() throws {
        let names = (10..<50).reversed().map { "output\($0)" }
        let values = JSONObject(names.map { ($0, JSONValue.integer(1)) })
        let text = String(decoding: try JSONWriter.text(of: WatchLine(update(values))), as: UTF8.self)
        let members = names.map { "\"\($0)\":1" }.joined(separator: ",")
        #expect(text == #"{"id":"lab","seq":5,"full":true,"values":{\#(members)},"events":[],"lost":0}"#)
    }

    @Test func `a frame has the outputs that it changed, and says that it is not the full picture`() throws {
        let line = WatchLine(update(["a": .integer(1), "b": .integer(2)], isFull: false))
        let text = String(decoding: try JSONWriter.text(of: line), as: UTF8.self)
        #expect(text == #"{"id":"lab","seq":5,"full":false,"values":{"b":2},"events":[],"lost":0}"#)
    }
}
