import Testing
import ViewModelKit
import ViewModelTesting

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

    @Test func `of policy latest refuses a call without disturbing the one that runs`() throws {
        let rows = try matrix(\.actions.latest).rows()
        #expect(rows[0] == Row("open", isEnabled: true, first: .pending, second: .pending, firstThen: .cancelled))
        #expect(rows[3].first == .disabled)
        let test = try WorkshopTest()
        let call = try test.harness.start(\.actions.latest, Order(number: 1))
        try test.harness.send(\.inputs.open, false)
        _ = try test.harness.start(\.actions.latest, Order(number: 2))
        #expect(call.answer == .pending)
        #expect(!test.work.calls[0].isCancelled)
    }

    @Test(arguments: ["queued", "concurrent", "shared"])
    func `of any other policy lets a second call in`(policy: String) throws {
        let actions: [String: KeyPath<Workshop, Action<Order, Product>>] = [
            "queued": \.actions.queued, "concurrent": \.actions.concurrent, "shared": \.actions.shared,
        ]
        let rows = try matrix(try #require(actions[policy])).rows()
        #expect(rows[0] == Row("open", isEnabled: true, first: .pending, second: .pending, firstThen: .pending))
        #expect(rows[1] == Row("closed", isEnabled: false, first: .disabled, second: .disabled, firstThen: .disabled))
        // Who joins a shared execution needs no door.
        #expect(rows[3].first == (policy == "shared" ? .pending : .disabled))
    }

    @Test func `shows enabled and executing in the frame of the step that begins`() throws {
        let test = try WorkshopTest()
        let frames = try test.harness.frames {
            _ = try test.harness.start(\.actions.exclusive, Order(number: 1))
        }
        #expect(frames.count == 1)
        #expect(
            frames.first?.values == ["begun": [1], "exclusive.executing": true, "exclusive.enabled": false]
        )
        let last = test.harness.frames { test.work.complete(with: Product(name: "chair")) }
        #expect(last.map(\.values) == [["done": [1], "exclusive.executing": false, "exclusive.enabled": true]])
    }

    @Test func `shows nothing but the outcome of an action that is done at once`() throws {
        let test = try WorkshopTest()
        let frames = try test.harness.frames { try test.harness.run(\.actions.immediate, Order(number: 1)) }
        #expect(frames.map(\.values) == [["done": [1]]])
    }

    @Test func `keeps enabled while another policy than exclusive executes`() throws {
        let test = try WorkshopTest()
        _ = try test.harness.start(\.actions.queued, Order(number: 1))
        #expect(try test.harness.isEnabled(\.actions.queued))
        #expect(try test.harness.isExecuting(\.actions.queued))
    }

    @Test func `lets the ViewModel itself in like anybody`() throws {
        let test = try WorkshopTest()
        try test.harness.send(\.inputs.begin, 1)
        #expect(test.work.waiting.map(\.input.number) == [1])
        try test.harness.send(\.inputs.begin, 2)
        #expect(test.work.calls.count == 1)
        #expect(try test.harness.start(\.actions.exclusive, Order(number: 3)).answer == .executing)
        test.work.complete(with: Product(name: "chair"))
        #expect(try test.harness.read(\.outputs.done) == [1])
    }
}
