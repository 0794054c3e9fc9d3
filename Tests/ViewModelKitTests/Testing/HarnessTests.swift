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
        #expect(throws: Refusal.fault("UnexpectedError() (Unexpected error in an action)")) {
            try harness.run(\.actions.immediate, Order(number: 13))
        }
        #expect(harness.session.incidents == ["UnexpectedError() (Unexpected error in an action)"])
    }

    @Test func `says that an action waits for something`() throws {
        let harness = try WorkshopTest().harness
        #expect(throws: Refusal.unfinished) { try harness.run(\.actions.exclusive, Order(number: 1)) }
    }

    @Test func `opens a ViewModel with arguments, and reaches into its children`() throws {
        let family = try Harness(Family.self, arguments: ["name": "Lovelace"]) { context in
            Family(try context.arguments(Family.Arguments.self))
        }
        #expect(try family.read(\.children.child.outputs.name) == "Lovelace")
        let frames = try family.frames { try family.send(\.inputs.rename, "Byron") }
        #expect(frames.map(\.instance) == ["family.child"])
        #expect(frames.map(\.values) == [["name": "Byron"]])
        try family.send(\.children.child.inputs.call)
        #expect(try family.events(\.children.child.outputs.called) == ["Byron"])
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
