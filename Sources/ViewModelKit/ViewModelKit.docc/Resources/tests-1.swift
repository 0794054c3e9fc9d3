import Testing
import ViewModelKit
import ViewModelTesting

@testable import TeatimerApp

struct KettleTests {
    @Test func `an empty kettle brews nothing`() throws {
        let kettle = try Harness(Kettle.self)
        #expect(throws: ActionFailure.self) { try kettle.run(\.$brew) }
    }
}
