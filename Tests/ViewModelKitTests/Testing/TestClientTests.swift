import Testing
import ViewModelTesting

@testable import Scenarios

@Suite struct `A test client` {
    @Test func `is driven by frames that no ViewModel made, at once or later`() throws {
        let harness = try WorkshopTest().harness
        var seen: [Int] = []
        harness.client.onFrame { seen.append($0.seq) }
        try harness.client.inject(Frame(instance: "workshop", seq: 50, values: ["done": [9]]))
        try harness.client.inject(Frame(instance: "workshop", seq: 51, values: ["done": [8]]), after: .seconds(2))
        #expect(seen == [50])
        #expect(harness.picture["done"] == [9])
        harness.advance(by: .seconds(2))
        #expect(seen == [50, 51])
        #expect(harness.picture["done"] == [8])
        #expect(harness.frames.count == 2)
    }

    @Test func `may answer a frame with another request`() throws {
        let harness = try WorkshopTest().harness
        harness.client.onFrame { frame in
            if frame.values["done"] == [0] { harness.client.notify("workshop.nothing") }
        }
        try harness.run(\.actions.nothing)
        #expect(try harness.read(\.outputs.done) == [0, 0])
    }

    @Test func `sends deadlines, and ends its input when it is owed nothing more`() throws {
        let test = try WorkshopTest()
        let late = try test.harness.start(\.actions.exclusive, Order(number: 1), deadline: .milliseconds(500))
        test.harness.advance(by: .milliseconds(500))
        #expect(late.answer == .deadlinePassed)
        test.harness.client.endInput()
        #expect(test.harness.client.isFinished)
    }

    @Test func `is told by hand what a patch does not fit`() throws {
        let harness = try WorkshopTest().harness
        let patch = JSONPatch([.remove(path: try #require(JSONPointer("/nothing/0")))])
        try harness.client.inject(Frame(instance: "workshop", seq: 50, patch: patch))
        #expect(harness.client.faults.count == 1)
    }
}
