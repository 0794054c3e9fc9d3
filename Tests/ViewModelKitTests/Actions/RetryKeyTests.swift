import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A retry key` {
    private let chair = Product(name: "chair")
    private let test: WorkshopTest

    init() throws {
        test = try WorkshopTest()
    }

    @Test func `seen before gets the first call's outcome and does not run again`() throws {
        let first = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        let second = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        #expect(try first.result() == second.result())
        #expect(try test.harness.read(\.outputs.done) == [1])
    }

    @Test func `of a call that runs waits for its outcome, before executing refuses it`() throws {
        let first = try test.harness.start(\.actions.exclusive, Order(number: 1), key: "a")
        let second = try test.harness.start(\.actions.exclusive, Order(number: 1), key: "a")
        #expect(second.answer == .pending)
        test.work.complete(with: chair)
        #expect(try first.result() == chair)
        #expect(try second.result() == chair)
    }

    @Test func `gets the outcome although the action is disabled by now`() throws {
        _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        try test.harness.send(\.inputs.open, false)
        let second = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        #expect(try second.result() == Product(name: "product 1"))
    }

    @Test func `with other params is refused`() throws {
        _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        let second = try test.harness.start(\.actions.immediate, Order(number: 2), key: "a")
        guard case .invalid(let fault) = second.answer else {
            Issue.record("\(second.answer)")
            return
        }
        #expect(fault.path == "/_meta/key")
        #expect(try test.harness.read(\.outputs.done) == [1])
    }

    @Test func `is forgotten after ten minutes`() throws {
        _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        test.harness.advance(by: .seconds(600))
        _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        #expect(try test.harness.read(\.outputs.done) == [1])
        test.harness.advance(by: .seconds(1))
        _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        #expect(try test.harness.read(\.outputs.done) == [1, 1])
    }

    @Test func `of a refused call is not remembered`() throws {
        try test.harness.send(\.inputs.open, false)
        #expect(try test.harness.start(\.actions.immediate, Order(number: 1), key: "a").answer == .disabled)
        try test.harness.send(\.inputs.open, true)
        let second = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        #expect(try second.result() == Product(name: "product 1"))
    }

    @Test func `remembers failures and cancellations like any outcome`() throws {
        for _ in 0..<2 {
            let call = try test.harness.start(\.actions.immediate, Order(number: 0), key: "failed")
            #expect(call.answer == .failure(ActionFailure("nothingOrdered", retryable: true)))
        }
        try test.harness.start(\.actions.exclusive, Order(number: 1), key: "cancelled").cancel()
        let second = try test.harness.start(\.actions.exclusive, Order(number: 1), key: "cancelled")
        #expect(second.answer == .cancelled)
        #expect(test.work.calls.count == 1)
    }

    @Test func `belongs to one action`() throws {
        _ = try test.harness.start(\.actions.immediate, Order(number: 1), key: "a")
        _ = try test.harness.start(\.actions.queued, Order(number: 1), key: "a")
        #expect(test.work.calls.count == 1)
    }

    @Test func `of an action without params works the same`() throws {
        for _ in 0..<2 {
            #expect(test.harness.start(\.actions.nothing, key: "a").answer == .result(.null))
        }
        #expect(try test.harness.read(\.outputs.done) == [0])
    }

    @Test func `joined by a second caller keeps the work going when the first one cancels`() throws {
        let first = try test.harness.start(\.actions.exclusive, Order(number: 1), key: "a")
        let second = try test.harness.start(\.actions.exclusive, Order(number: 1), key: "a")
        first.cancel()
        #expect(first.answer == .cancelled)
        test.work.complete(with: chair)
        #expect(try second.result() == chair)
    }

    @Test func `joined when the work has been stopped leaves each caller its own reason`() throws {
        let test = try WorkshopTest(endsWhenCancelled: false)
        let first = try test.harness.start(\.actions.exclusive, Order(number: 1), key: "a", deadline: .seconds(1))
        test.harness.advance(by: .seconds(1))
        let second = try test.harness.start(\.actions.exclusive, Order(number: 1), key: "a")
        second.cancel()
        test.work.complete(with: chair)
        #expect(first.answer == .deadlinePassed)
        #expect(second.answer == .cancelled)
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
