import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite(.timeLimit(.minutes(5))) struct `A harness and the world outside` {
    /// Makes things on a thread that is not the test's.
    private actor Workbench {
        func make(_ order: Order) -> Product { Product(name: "made \(order.number)") }
    }

    @Test func `runs actors that an action calls at once`() throws {
        let bench = Workbench()
        let harness = try Harness(Errand.self) { _ in Errand { await bench.make($0) } }
        #expect(try harness.run(\.actions.go, Order(number: 4)) == Product(name: "made 4"))
    }

    @Test(.timeLimit(.minutes(5)))
    func `waits for what has a thread of its own`() async throws {
        let harness = try Harness(Errand.self) { _ in
            Errand { order in await Task.detached { Product(name: "made \(order.number)") }.value }
        }
        let call = try harness.start(\.actions.go, Order(number: 4))
        #expect(try await call.answered() == .result(["name": "made 4"]))
        try await harness.wait { try !harness.isExecuting(\.actions.go) }
        #expect(try call.result() == Product(name: "made 4"))
    }

    @Test func `throws the error of a factory`() {
        #expect(throws: UnexpectedError.self) { try Harness(Errand.self) { _ in throw UnexpectedError() } }
    }

    @Test func `says which service is missing in a catalog`() throws {
        var catalog = ViewModelCatalog()
        try catalog.host(Errand.self) { context in
            let work = try context.service(Effect<Order, Product>.self)
            return Errand { try await work($0) }
        }
        let error = #expect(throws: HarnessError.self) { try Harness(Errand.self, in: catalog) }
        #expect(error?.description.contains("Effect<Order, Product, Error>") == true)
        let work = Effect<Order, Product>()
        catalog.provide(work)
        let harness = try Harness(Errand.self, in: catalog)
        _ = try harness.start(\.actions.go, Order(number: 1))
        #expect(work.waiting.count == 1)
    }
}
