import ViewModelKit

@testable import Scenarios

/// Runs an errand outside of the session.
@ViewModel
final class Errand {
    struct Actions {
        let go: Action<Order, Product>
    }
    let actions: Actions

    init(_ work: @escaping @Sendable (Order) async throws -> Product) {
        actions = Actions(go: Action { try await work($0) })
    }
}
