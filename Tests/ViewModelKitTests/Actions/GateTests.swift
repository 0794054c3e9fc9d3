import Testing
import ViewModelKit
import ViewModelTesting

@testable import Scenarios

@Suite struct `The gate of an action` {
    private typealias Matrix = ActionMatrix<Workshop>
    private typealias Row = Matrix.Row

    private func matrix(_ action: KeyPath<Workshop, Action<Order, Product>>) -> Matrix {
        let work = Effect<Order, Product>()
        return Matrix(action, with: Order(number: 1)) { try Harness(Workshop.self) { _ in Workshop(work: work) } }
            .given("open") { _ in }
            .given("closed") { try $0.send(\.inputs.open, false) }
            .given("closed and opened again") { workshop in
                try workshop.send(\.inputs.open, false)
                try workshop.send(\.inputs.open, true)
            }
            .given("closed while it executes") { workshop in
                _ = try workshop.start(action, Order(number: 0))
                try workshop.send(\.inputs.open, false)
            }
    }

    @Test func `of policy exclusive says executing before it says disabled`() throws {
        #expect(
            try matrix(\.actions.exclusive).rows() == [
                Row("open", isEnabled: true, first: .pending, second: .executing, firstThen: .pending),
                Row("closed", isEnabled: false, first: .disabled, second: .disabled, firstThen: .disabled),
                Row(
                    "closed and opened again",
                    isEnabled: true,
                    first: .pending,
                    second: .executing,
                    firstThen: .pending
                ),
                Row(
                    "closed while it executes",
                    isEnabled: false,
                    first: .executing,
                    second: .executing,
                    firstThen: .executing
                ),
            ]
        )
    }
}
