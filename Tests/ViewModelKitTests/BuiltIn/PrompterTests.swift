import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `The prompter` {
    private let navigation: Harness<NavigationViewModel>
    private let question = NavigationViewModel.Question(title: "Leave?")

    init() throws {
        navigation = try NavigationViewModel.harness()
    }

    private func refusal(_ params: JSONValue) -> ProtocolError? {
        navigation.client.begin("prompter.answer", params).error
    }

    @Test func `shows a question until it is answered`() throws {
        let call = try navigation.start(\.actions.confirm, question)
        let prompt = try #require(try navigation.prompts.first)
        #expect(prompt.kind == .confirm)
        #expect(prompt.title == "Leave?")
        #expect(prompt.message == "Really?")
        #expect(prompt.buttons.map(\.id) == ["yes", "no"])
        try navigation.answer(prompt, button: "no")
        #expect(try call.result() == "no")
        #expect(try navigation.prompts == [])
    }

    @Test func `lets the first answer win`() throws {
        let call = try navigation.start(\.actions.confirm, question)
        let prompt = try #require(try navigation.prompts.first)
        try navigation.answer(prompt, button: "yes")
        let late = refusal(["id": .string(prompt.id), "button": "no"])
        #expect(late?.code == .actionFailed)
        #expect(late?.data?["error"] == "alreadyAnswered")
        #expect(try call.result() == "yes")
    }

    @Test func `takes a question back when its action is cancelled`() throws {
        let call = try navigation.start(\.actions.confirm, question)
        let prompt = try #require(try navigation.prompts.first)
        call.cancel()
        #expect(call.answer == .cancelled)
        #expect(try navigation.prompts == [])
        #expect(refusal(["id": .string(prompt.id), "button": "no"])?.data?["error"] == "alreadyAnswered")
    }

    @Test func `refuses an answer that fits no question`() throws {
        _ = try navigation.start(\.actions.confirm, question)
        let id = JSONValue.string(try #require(try navigation.prompts.first).id)
        #expect(refusal(["id": "prompt-9", "button": "yes"])?.data?["path"] == "/id")
        #expect(refusal(["id": "prompt-01", "button": "yes"])?.data?["path"] == "/id")
        #expect(refusal(["id": "nothing", "button": "yes"])?.data?["path"] == "/id")
        #expect(refusal(["id": id, "button": "maybe"])?.data?["path"] == "/button")
        #expect(refusal(["id": id])?.data?["path"] == "/button")
        #expect(try navigation.prompts.count == 1)
    }

    @Test func `needs no button where there is one`() throws {
        let call = try navigation.start(\.actions.alert, question)
        let prompt = try #require(try navigation.prompts.first)
        #expect(prompt.kind == .alert)
        try navigation.answer(prompt)
        try call.result()
    }

    @Test(arguments: [("yes", "Ada"), ("no", nil)] as [(String, String?)])
    func `gives the text that was asked for, or none`(button: String, expected: String?) throws {
        let call = try navigation.start(\.actions.input, question)
        let prompt = try #require(try navigation.prompts.first)
        #expect(prompt.kind == .input)
        try navigation.answer(prompt, button: button, text: "Ada")
        #expect(try call.result() == expected)
    }

    @Test func `shows that work goes on, and accepts no answer to it`() throws {
        let call = navigation.start(\.actions.busy)
        let prompt = try #require(try navigation.prompts.first)
        #expect(prompt.kind == .busy)
        #expect(refusal(["id": .string(prompt.id)])?.code == .invalidParams)
        navigation.advance(by: .seconds(1))
        #expect(try navigation.prompts == [])
        try call.result()
    }

    @Test func `shows questions in the order in which they were asked`() throws {
        let calls = try ["a", "b", "c"].map {
            try navigation.start(\.actions.confirm, NavigationViewModel.Question(title: $0))
        }
        #expect(try navigation.prompts.map(\.title) == ["a", "b", "c"])
        try navigation.answer(navigation.prompts[1], button: "no")
        #expect(try navigation.prompts.map(\.title) == ["a", "c"])
        #expect(calls.map(\.answer) == [.pending, .result("no"), .pending])
    }

    @Test func `gives a hint to each bound client once`() throws {
        try navigation.send(\.inputs.hint, "Careful")
        #expect(try navigation.hints == [hint("Careful")])
        let late = try navigation.session.connect()
        try late.bind("prompter")
        #expect(late.frames.isEmpty)
        try navigation.send(\.inputs.hint, "Again")
        #expect(late.frames.flatMap(\.events).map(\.value["text"]) == ["Again"])
    }

    private func hint(_ text: String) throws -> Hint {
        try JSONValue.object(["text": .string(text), "level": "warning"]).decoded()
    }
}
