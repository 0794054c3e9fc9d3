import ViewModelKit
import ViewModelTesting

/// What an action of the workshop takes.
@Schemable
struct Order: Sendable {
    var number: Int
}

/// What an action of the workshop gives.
@Schemable
struct Product: Sendable {
    var name: String
}

/// An action of each policy, all of them waiting for the same effect.
@ViewModel
final class Workshop {
    struct Inputs {
        /// Opens and closes the workshop.
        let open = Input<Bool>()
        /// Runs `own` from within.
        let begin = Input<Int>()
    }
    struct Outputs {
        /// The orders that have been begun.
        let begun: Output<[Int]>
        /// The orders that have been done.
        let done: Output<[Int]>
    }
    struct Actions {
        /// One at a time.
        let exclusive: Action<Order, Product>
        /// The newest only.
        @Policy(.latest) let latest: Action<Order, Product>
        /// One after the other.
        @Policy(.queued) let queued: Action<Order, Product>
        /// All at once.
        @Policy(.concurrent) let concurrent: Action<Order, Product>
        /// One for all.
        @Policy(.shared) let shared: Action<Order, Product>
        /// Tells how far it is.
        @Policy(.latest) let telling: Action<Order, Void>
        /// Done within one step.
        let immediate: Action<Order, Product>
        /// Takes nothing and gives nothing.
        let nothing: Action<Void, Void>
    }

    let inputs = Inputs(), outputs: Outputs, actions: Actions

    init(work: Effect<Order, Product>) {
        let isOpen = Cell(true)
        let begun = Cell<[Int]>([])
        let done = Cell<[Int]>([])
        inputs.open.assign(to: isOpen)
        outputs = Outputs(begun: Output(begun), done: Output(done))
        let perform: (Order) async throws -> Product = { order in
            begun.value.append(order.number)
            let product = try await work(order)
            done.value.append(order.number)
            return product
        }
        actions = Actions(
            exclusive: Action(enabled: isOpen, perform),
            latest: Action(enabled: isOpen, perform),
            queued: Action(enabled: isOpen, perform),
            concurrent: Action(enabled: isOpen, perform),
            shared: Action(enabled: isOpen, perform),
            telling: Action { order, execution in
                execution.progress = 0
                _ = try await work(order)
                execution.progress = 0.5
                _ = try await work(order)
                execution.progress = 7
                _ = try await work(order)
            },
            immediate: Action(enabled: isOpen) { order in
                guard order.number > 0 else { throw ActionFailure("nothingOrdered", retryable: true) }
                guard order.number < 100 else {
                    throw InvalidValue(path: "/number", expected: "less than 100", found: "\(order.number)")
                }
                guard order.number != 13 else { throw UnexpectedError() }
                done.value.append(order.number)
                return Product(name: "product \(order.number)")
            },
            nothing: Action { done.value.append(0) }
        )
        let exclusive = actions.exclusive
        inputs.begin.sink { exclusive.run(Order(number: $0)) }
    }
}

/// An unexpected error.
struct UnexpectedError: Error {}
