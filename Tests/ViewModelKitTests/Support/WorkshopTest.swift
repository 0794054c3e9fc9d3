import ViewModelTesting

@testable import Scenarios

/// A workshop under test, and the work that it waits for.
struct WorkshopTest {
    let work: Effect<Order, Product>
    let harness: Harness<Workshop>

    init(endsWhenCancelled: Bool = true) throws {
        let work = Effect<Order, Product>(endsWhenCancelled: endsWhenCancelled)
        self.work = work
        harness = try Harness(Workshop.self) { _ in Workshop(work: work) }
    }
}
