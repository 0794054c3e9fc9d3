import Testing
import ViewModelKit
import ViewModelTesting

@testable import ReferenceViewModels

/// The members of `lab` that show values, fields, prompts and failures.
@Suite struct LabTests {
    private let lab: Harness<Lab>

    init() throws { lab = try Harness(Lab.self) }

    @Test func `the first sample has a value of each type, and another comes back as it was set`() throws {
        #expect(
            lab.picture["sample"] == [
                "date": "2001-01-01T00:00:00Z", "data": "dmlld21vZGVs", "double": 0.5, "optional": nil,
                "nested": ["name": "Greenwich", "latitude": 51.4779, "longitude": 0], "colour": "green",
                "uuid": "6BA7B810-9DAD-11D1-80B4-00C04FD430C8", "decimal": "19.99",
                "list": ["one", "two"], "dictionary": ["one": 1],
            ]
        )
        let sample: JSONValue = [
            "date": "2026-02-03T04:05:06Z", "data": "AAH/", "double": 2.25, "optional": "text",
            "nested": ["name": "Quito", "latitude": -0.25, "longitude": -78.5], "colour": "blue",
            "uuid": "00000000-0000-0000-0000-0000000000FF", "decimal": "12345678901234567890.05",
            "list": [], "dictionary": ["a": 1, "b": -2],
        ]
        try lab.client.request("lab.setSample", sample)
        #expect(lab.picture["sample"] == sample)
    }

    @Test(arguments: [
        ("abc", "ABC"), ("  abc ", "ABC"), ("\ta b\n", "A B"), ("straße", "STRASSE"), ("   ", ""), ("", ""),
    ])
    func `the field code is trimmed and in upper case`(typed: String, shown: String) throws {
        try lab.send(\.inputs.code, "before")
        try lab.send(\.inputs.code, typed)
        #expect(try lab.read(\.outputs.code) == shown)
        let frames = try lab.frames { try lab.send(\.inputs.code, " \(shown) ") }
        #expect(frames.isEmpty, "the text is the one of before")
    }

    @Test func `the field word refuses digits and keeps its value`() throws {
        try lab.send(\.inputs.word, "tea")
        let error = lab.client.begin("lab.word", ["tea4"]).error
        #expect(error?.code == .invalidParams)
        #expect(error?.data?["expected"] == "a text without digits")
        #expect(try lab.read(\.outputs.word) == "tea")
    }

    @Test(arguments: Hint.Level.allCases)
    func `a hint has the level that was given`(level: Hint.Level) throws {
        try lab.client.request("lab.hint", ["text": "Look", "level": .string(level.rawValue)])
        #expect(try lab.hints.map(\.level) == [level])
        #expect(try lab.hints.map(\.text) == ["Look"])
    }

    @Test func `seats are booked`() throws {
        for (seats, booked) in [(1, 1), (10, 10), (0, 0), (-3, 0)] {
            #expect(try lab.client.request("lab.book", ["seats": .integer(seats)]) == ["seats": .integer(booked)])
        }
    }

    private static let soldOut: JSONValue = [
        "error": "soldOut", "retryable": false, "details": ["seatsLeft": 10, "nextShow": "2001-01-01T00:00:00Z"],
    ]
    private static let refusals: [(Int, JSONValue)] = [
        (11, soldOut), (99, soldOut),
        (100, ["error": "officeBusy", "retryable": true, "details": ["seconds": 2.5]]),
        (1000, ["error": "officeClosed", "retryable": false, "details": nil]),
    ]

    @Test(arguments: refusals)
    func `a booking fails as declared`(seats: Int, data: JSONValue) throws {
        let error = lab.client.begin("lab.book", ["seats": .integer(seats)]).error
        #expect(error?.code == .actionFailed)
        #expect(error?.data == data)
    }
}

/// The prompts of `lab.prompt`.
@Suite struct LabPromptTests {
    private let lab: Harness<Lab>

    init() throws { lab = try Harness(Lab.self) }

    private func begin(_ kind: Prompt.Kind, milliseconds: Int? = nil) throws -> (SentRequest, Prompt) {
        var params: JSONObject = ["kind": .string(kind.rawValue), "title": "Now?", "message": "Think"]
        params["milliseconds"] = milliseconds.map { .integer($0) }
        let request = lab.client.begin("lab.prompt", .object(params))
        return (request, try #require(lab.prompts.first))
    }

    /// A prompt, the button and the text that answer it, and the result.
    private static let answers: [(Prompt.Kind, String?, String?, JSONValue)] = [
        (.alert, nil, nil, ["button": nil, "text": nil]),
        (.confirm, "ok", nil, ["button": "ok", "text": nil]),
        (.confirm, "delete", nil, ["button": "delete", "text": nil]),
        (.confirm, "cancel", nil, ["button": "cancel", "text": nil]),
        (.input, "ok", "tea", ["button": nil, "text": "tea"]),
        (.input, "cancel", "tea", ["button": nil, "text": nil]),
    ]

    @Test(arguments: answers)
    func `a prompt is answered`(kind: Prompt.Kind, button: String?, text: String?, result: JSONValue) throws {
        let (request, prompt) = try begin(kind)
        #expect(prompt.kind == kind && prompt.title == "Now?" && prompt.message == "Think")
        if kind == .confirm { #expect(prompt.buttons.map(\.role) == [.default, .destructive, .cancel]) }
        try lab.answer(prompt, button: button, text: text)
        #expect(request.result == result)
    }

    @Test func `a busy prompt is there for the given time`() throws {
        let (request, prompt) = try begin(.busy, milliseconds: 500)
        #expect(prompt.kind == .busy && prompt.buttons.isEmpty)
        lab.advance(by: .milliseconds(499))
        #expect(try lab.prompts.count == 1)
        lab.advance(by: .milliseconds(1))
        #expect(try lab.prompts.isEmpty)
        #expect(request.result == ["button": nil, "text": nil])
    }

    @Test func `a negative time is refused and shows no prompt`() throws {
        let request = lab.client.begin("lab.prompt", ["kind": "busy", "title": "Now?", "milliseconds": -1])
        #expect(request.error?.data?["path"] == "/milliseconds")
        #expect(try lab.prompts.isEmpty)
    }
}

/// The type `labPage` with its arguments, its child and its restored values.
@Suite struct LabPageTests {
    @Test func `the title comes from the arguments`() throws {
        #expect(try Harness(LabPage.self, arguments: ["title": "Notes"]).read(\.outputs.title) == "Notes")
        #expect(try Harness(LabPage.self).read(\.outputs.title) == "Untitled")
    }

    @Test func `a page is restored with its arguments, its text and the note of its child`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Lab.self, isRestored: false)
        try catalog.host(LabPage.self)
        let session = SessionHarness(catalog, savesSessions: true)
        var client = try session.connect()
        try client.request(
            "viewModel.open",
            ["type": "labPage", "id": "notes", "arguments": ["title": "Notes"]]
        )
        try client.request("notes.text", ["Tea"])
        try client.request("notes.margin.note", ["hot"])
        try client.request("lab.set", [5])
        session.advance(by: .seconds(2))
        session.restart()
        client = try session.connect()
        let list = try client.request("viewModel.list")
        #expect(list["instances"]?.description.contains(#""lab""#) == false)
        let values = try client.request("viewModel.read", ["id": "notes"])["values"]
        #expect(values == ["title": "Notes", "text": "Tea", "summary": "Tea (hot)"])
    }
}
