import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `The prompter` {
    private let desk: Harness<Desk>
    private let question = Desk.Question(title: "Leave?")

    init() throws {
        desk = try Desk.harness()
    }

    private func refusal(_ params: JSONValue) -> ProtocolError? {
        desk.client.begin("prompter.answer", params).error
    }

    @Test func `shows a question until it is answered`() throws {
        let call = try desk.start(\.actions.confirm, question)
        let prompt = try #require(try desk.prompts.first)
        #expect(prompt.kind == .confirm)
        #expect(prompt.title == "Leave?")
        #expect(prompt.message == "Really?")
        #expect(prompt.buttons.map(\.id) == ["yes", "no"])
        try desk.answer(prompt, button: "no")
        #expect(try call.result() == "no")
        #expect(try desk.prompts == [])
    }

    @Test func `lets the first answer win`() throws {
        let call = try desk.start(\.actions.confirm, question)
        let prompt = try #require(try desk.prompts.first)
        try desk.answer(prompt, button: "yes")
        let late = refusal(["id": .string(prompt.id), "button": "no"])
        #expect(late?.code == .actionFailed)
        #expect(late?.data?["error"] == "alreadyAnswered")
        #expect(try call.result() == "yes")
    }

    @Test func `takes a question back when its action is cancelled`() throws {
        let call = try desk.start(\.actions.confirm, question)
        let prompt = try #require(try desk.prompts.first)
        call.cancel()
        #expect(call.answer == .cancelled)
        #expect(try desk.prompts == [])
        #expect(refusal(["id": .string(prompt.id), "button": "no"])?.data?["error"] == "alreadyAnswered")
    }

    @Test func `refuses an answer that fits no question`() throws {
        _ = try desk.start(\.actions.confirm, question)
        let id = JSONValue.string(try #require(try desk.prompts.first).id)
        #expect(refusal(["id": "prompt-9", "button": "yes"])?.data?["path"] == "/id")
        #expect(refusal(["id": "prompt-01", "button": "yes"])?.data?["path"] == "/id")
        #expect(refusal(["id": "nothing", "button": "yes"])?.data?["path"] == "/id")
        #expect(refusal(["id": id, "button": "maybe"])?.data?["path"] == "/button")
        #expect(refusal(["id": id])?.data?["path"] == "/button")
        #expect(try desk.prompts.count == 1)
    }

    @Test func `needs no button where there is one`() throws {
        let call = try desk.start(\.actions.alert, question)
        let prompt = try #require(try desk.prompts.first)
        #expect(prompt.kind == .alert)
        try desk.answer(prompt)
        try call.result()
    }

    @Test(arguments: [("yes", "Ada"), ("no", nil)] as [(String, String?)])
    func `gives the text that was asked for, or none`(button: String, expected: String?) throws {
        let call = try desk.start(\.actions.input, question)
        let prompt = try #require(try desk.prompts.first)
        #expect(prompt.kind == .input)
        try desk.answer(prompt, button: button, text: "Ada")
        #expect(try call.result() == expected)
    }

    @Test func `shows that work goes on, which nobody can answer`() throws {
        let call = desk.start(\.actions.busy)
        let prompt = try #require(try desk.prompts.first)
        #expect(prompt.kind == .busy)
        #expect(refusal(["id": .string(prompt.id)])?.code == .invalidParams)
        desk.advance(by: .seconds(1))
        #expect(try desk.prompts == [])
        try call.result()
    }

    @Test func `shows questions in the order in which they were asked`() throws {
        let calls = try ["a", "b", "c"].map { try desk.start(\.actions.confirm, Desk.Question(title: $0)) }
        #expect(try desk.prompts.map(\.title) == ["a", "b", "c"])
        try desk.answer(desk.prompts[1], button: "no")
        #expect(try desk.prompts.map(\.title) == ["a", "c"])
        #expect(calls.map(\.answer) == [.pending, .result("no"), .pending])
    }

    @Test func `gives hints to whoever looks, once`() throws {
        try desk.send(\.inputs.hint, "Careful")
        #expect(try desk.hints == [hint("Careful")])
        let late = try desk.session.connect()
        try late.bind("prompter")
        #expect(late.frames.isEmpty)
        try desk.send(\.inputs.hint, "Again")
        #expect(late.frames.flatMap(\.events).map(\.value["text"]) == ["Again"])
    }

    private func hint(_ text: String) throws -> Hint {
        try JSONValue.object(["text": .string(text), "level": "warning"]).decoded()
    }
}
