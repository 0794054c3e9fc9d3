import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A second call while an action executes` {
    private let test: WorkshopTest
    private let chair = Product(name: "chair")
    private let table = Product(name: "table")

    init() throws {
        test = try WorkshopTest()
    }

    private func order(_ number: Int) -> Order { Order(number: number) }

    @Test func `is refused where the policy is exclusive, and leaves the first one running`() throws {
        let first = try test.harness.start(\.actions.exclusive, order(1))
        let frames = try test.harness.frames {
            let second = try test.harness.start(\.actions.exclusive, order(2))
            #expect(second.answer == .executing)
        }
        #expect(frames.isEmpty)
        #expect(first.answer == .pending)
        test.work.complete(with: chair)
        #expect(try first.result() == chair)
        #expect(try test.harness.read(\.outputs.begun) == [1])
    }

    @Test func `cancels the first one where the policy is latest`() throws {
        let first = try test.harness.start(\.actions.latest, order(1))
        let second = try test.harness.start(\.actions.latest, order(2))
        #expect(first.answer == .cancelled)
        #expect(test.work.calls[0].isCancelled)
        #expect(try test.harness.isExecuting(\.actions.latest))
        test.work.complete(with: table)
        #expect(try second.result() == table)
        #expect(try test.harness.read(\.outputs.done) == [2])
    }

    @Test func `waits for its turn where the policy is queued`() throws {
        let calls = try (1...3).map { try test.harness.start(\.actions.queued, order($0)) }
        #expect(try test.harness.read(\.outputs.begun) == [1])
        test.work.complete(with: chair)
        #expect(calls.map(\.answer) == [.result(["name": "chair"]), .pending, .pending])
        #expect(try test.harness.read(\.outputs.begun) == [1, 2])
        test.work.complete(with: chair)
        test.harness.session.runUntilIdle()
        test.work.complete(with: table)
        #expect(try calls[2].result() == table)
        #expect(try test.harness.read(\.outputs.done) == [1, 2, 3])
    }

    @Test func `finds executing still true where the policy is queued and the turn changes`() throws {
        _ = try (1...2).map { try test.harness.start(\.actions.queued, order($0)) }
        let frames = test.harness.frames {
            test.work.complete(with: chair)
        }
        #expect(!frames.contains { $0.outputs.contains("queued.executing") })
        #expect(try test.harness.isExecuting(\.actions.queued))
        test.work.complete(with: chair)
        #expect(try !test.harness.isExecuting(\.actions.queued))
    }

    @Test func `runs beside the first one where the policy is concurrent`() throws {
        let first = try test.harness.start(\.actions.concurrent, order(1))
        let second = try test.harness.start(\.actions.concurrent, order(2))
        #expect(test.work.waiting.count == 2)
        test.work.waiting[1].complete(with: table)
        #expect(try second.result() == table)
        #expect(first.answer == .pending)
        #expect(try test.harness.isExecuting(\.actions.concurrent))
        test.work.complete(with: chair)
        #expect(try first.result() == chair)
        #expect(try !test.harness.isExecuting(\.actions.concurrent))
    }

    @Test func `joins the first one where the policy is shared`() throws {
        let first = try test.harness.start(\.actions.shared, order(1))
        let second = try test.harness.start(\.actions.shared, order(2))
        #expect(test.work.calls.count == 1)
        test.work.complete(with: chair)
        #expect(try first.result() == chair)
        #expect(try second.result() == chair)
        #expect(try test.harness.read(\.outputs.done) == [1])
    }

    @Test func `begins anew where the shared one before was cancelled`() throws {
        let test = try WorkshopTest(endsWhenCancelled: false)
        let first = try test.harness.start(\.actions.shared, order(1))
        first.cancel()
        let second = try test.harness.start(\.actions.shared, order(2))
        #expect(try test.harness.read(\.outputs.begun) == [1, 2])
        test.work.waiting[1].complete(with: table)
        #expect(try second.result() == table)
    }
}
