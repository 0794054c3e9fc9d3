import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `A harness` {
    @Test func `throws what an action throws`() throws {
        let harness = try WorkshopTest().harness
        #expect(throws: ActionFailure("nothingOrdered", retryable: true)) {
            try harness.run(\.actions.immediate, Order(number: 0))
        }
        #expect(throws: InvalidValue(path: "/number", expected: "less than 100", found: "100")) {
            try harness.run(\.actions.immediate, Order(number: 100))
        }
        let incident = "UnexpectedError() (Unexpected error in workshop.immediate (Workshop.swift:45))"
        #expect(throws: Refusal.fault(incident)) {
            try harness.run(\.actions.immediate, Order(number: 13))
        }
        #expect(harness.session.incidents == [incident])
    }

    @Test func `says that an action waits for something`() throws {
        let harness = try WorkshopTest().harness
        let refusal = #expect(throws: Refusal.unfinished) { try harness.run(\.actions.exclusive, Order(number: 1)) }
        #expect(refusal?.description.contains("for `clock.sleep`, and not for `Task.sleep`") == true)
        let call = try WorkshopTest().harness.start(\.actions.exclusive, Order(number: 1))
        #expect("\(call.answer)" == "pending")
        #expect(throws: Refusal.unfinished) { try call.result() }
    }

    @Test func `opens a ViewModel with arguments, and reaches into its children`() throws {
        let greeter = try Harness(Greeter.self, arguments: ["name": "Ada"]) { context in
            try Greeter(context.arguments(Greeter.Arguments.self))
        }
        #expect(try greeter.read(\.outputs.greeting) == "Hello Ada")
        let page = try Harness(Page.self) { _ in Page() }
        let frames = try page.frames { try page.send(\.inputs.title, "x") }
        #expect(frames.map(\.instance) == ["page.left", "page.right"])
        #expect(frames.map(\.values) == [["title": "left x"], ["title": "right x"]])
        try page.send(\.children.left.inputs.tap)
        #expect(try page.read(\.children.left.outputs.taps) == 1)
    }

    @Test func `ends its session with itself, and releases the ViewModel`() throws {
        var test: WorkshopTest? = try WorkshopTest()
        weak let workshop = test?.harness.viewModel
        let work = try #require(test?.work)
        _ = try test?.harness.start(\.actions.exclusive, Order(number: 1))
        test = nil
        #expect(workshop == nil)
        #expect(work.calls.first?.isCancelled == true)
    }
}
