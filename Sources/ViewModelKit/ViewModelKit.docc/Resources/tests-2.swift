import Testing
import ViewModelKit
import ViewModelTesting

@testable import TeatimerApp

struct KettleTests {
    @Test func `an empty kettle brews nothing`() throws {
        let kettle = try Harness(Kettle.self)
        #expect(throws: ActionFailure.self) { try kettle.run(\.$brew) }
    }

    @Test func `tea is ready after its time`() throws {
        let kettle = try Harness(Kettle.self)
        try kettle.send(\.inputs.fill, 2)
        try kettle.send(\.inputs.minutes, "4")
        let tea = kettle.start(\.$brew)
        kettle.advance(by: .seconds(239))
        #expect(try kettle.isExecuting(\.actions.brew))
        kettle.advance(by: .seconds(1))
        #expect(try tea.result() == 1)
        #expect(try kettle.read(\.outputs.cups) == 1)
    }

    @Test func `minutes that are no number are a problem, and nothing is brewed`() throws {
        let kettle = try Harness(Kettle.self)
        try kettle.send(\.inputs.minutes, "three")
        #expect(try kettle.read(\.outputs.problem) == "A number from 1 to 15")
        #expect(try !kettle.isEnabled(\.$brew))
    }
}
