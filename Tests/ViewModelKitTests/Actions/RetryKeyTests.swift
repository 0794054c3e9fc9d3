import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `A retry key` {
    private let chair = Product(name: "chair")
    private let test: WorkshopTest

    init() throws {
        test = try WorkshopTest()
    }

    @Test func `is one of the newest thousand or forgotten`() throws {
        for number in 0..<1100 {
            _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "\(number)")
        }
        let count = try test.harness.read(\.outputs.done).count
        _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "1099")
        #expect(try test.harness.read(\.outputs.done).count == count)
        _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "0")
        #expect(try test.harness.read(\.outputs.done).count == count + 1)
    }
}
