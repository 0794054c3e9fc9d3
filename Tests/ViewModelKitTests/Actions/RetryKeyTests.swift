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
        for key in ["1099", "76"] {
            _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: key)
            #expect(try test.harness.read(\.outputs.done).count == count)
        }
        _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "75")
        #expect(try test.harness.read(\.outputs.done).count == count + 1)
    }

    @Test func `is forgotten when it and newer ones have outcomes of more than 4 MiB`() throws {
        func begun(_ key: String) throws -> Int {
            _ = try test.harness.start(\.actions.exclusive, Order(number: 1), key: key)
            test.work.complete(with: Product(name: String(repeating: "x", count: 3 << 20)))
            return try test.harness.read(\.outputs.begun).count
        }
        #expect(try ["a", "a", "b", "b", "a"].map(begun) == [1, 1, 2, 2, 3])
    }
}
