import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `Cancelling a call` {
    private let chair = Product(name: "chair")

    @Test func `stops the work and answers when it has stopped`() throws {
        let test = try WorkshopTest()
        let call = try test.harness.start(\.actions.exclusive, Order(number: 1))
        call.cancel()
        #expect(test.work.calls[0].isCancelled)
        #expect(call.answer == .cancelled)
        #expect(try !test.harness.isExecuting(\.actions.exclusive))
        #expect(try test.harness.read(\.outputs.done) == [])
    }

    @Test func `answers soon although the work does not listen, and executing stays true until it ends`() throws {
        let test = try WorkshopTest(endsWhenCancelled: false)
        let call = try test.harness.start(\.actions.exclusive, Order(number: 1))
        call.cancel()
        #expect(call.answer == .pending)
        test.harness.advance(by: .milliseconds(99))
        #expect(call.answer == .pending)
        test.harness.advance(by: .milliseconds(1))
        #expect(call.answer == .cancelled)
        #expect(try test.harness.isExecuting(\.actions.exclusive))
        #expect(try test.harness.start(\.actions.exclusive, Order(number: 2)).answer == .executing)
        test.work.complete(with: chair)
        #expect(try !test.harness.isExecuting(\.actions.exclusive))
        #expect(call.answer == .cancelled)
    }

    @Test func `that waits in the queue takes it out`() throws {
        let test = try WorkshopTest()
        let calls = try (1...3).map { try test.harness.start(\.actions.queued, Order(number: $0)) }
        calls[1].cancel()
        #expect(calls.map(\.answer) == [.pending, .cancelled, .pending])
        test.work.complete(with: chair)
        #expect(try test.harness.read(\.outputs.begun) == [1, 3])
    }

    @Test func `of one who shares leaves the others their outcome`() throws {
        let test = try WorkshopTest()
        let calls = try (1...3).map { try test.harness.start(\.actions.shared, Order(number: $0)) }
        calls[0].cancel()
        #expect(calls.map(\.answer) == [.cancelled, .pending, .pending])
        #expect(!test.work.calls[0].isCancelled)
        test.work.complete(with: chair)
        #expect(try calls[1].result() == chair)
        #expect(try calls[2].result() == chair)
    }

    @Test func `of the last one who shares stops the work`() throws {
        let test = try WorkshopTest()
        let calls = try (1...2).map { try test.harness.start(\.actions.shared, Order(number: $0)) }
        calls[0].cancel()
        calls[1].cancel()
        #expect(test.work.calls[0].isCancelled)
        #expect(calls.map(\.answer) == [.cancelled, .cancelled])
    }

    @Test func `that the ViewModel shares does not stop what it wants for itself`() throws {
        let test = try WorkshopTest()
        try test.harness.send(\.inputs.begin, 1)
        #expect(!test.work.calls[0].isCancelled)
        test.work.complete(with: chair)
        #expect(try test.harness.read(\.outputs.done) == [1])
    }

    @Test func `after the end changes nothing`() throws {
        let test = try WorkshopTest()
        let call = try test.harness.start(\.actions.exclusive, Order(number: 1))
        test.work.complete(with: chair)
        #expect(try call.result() == chair)
        call.cancel()
        #expect(try call.result() == chair)
    }

    @Test func `happens to every call when the instance is closed`() throws {
        let work = Effect<Order, Product>()
        var catalog = ViewModelCatalog()
        try catalog.host(Workshop.self) { _ in Workshop(work: work) }
        let session = SessionHarness(catalog)
        let client = try session.connect()
        try client.request("viewModel.open", ["type": "workshop", "id": "mine"])
        let calls = (1...2).map { client.begin("mine.queued", ["number": .integer($0)]) }
        try client.request("viewModel.close", ["id": "mine"])
        #expect(calls.map(\.error?.code) == [.cancelled, .cancelled])
        #expect(work.calls[0].isCancelled)
    }
}

@Suite struct `A deadline` {
    private let chair = Product(name: "chair")

    @Test func `that passes cancels the work`() throws {
        let test = try WorkshopTest()
        let call = try test.harness.start(\.actions.exclusive, Order(number: 1), deadline: .milliseconds(500))
        test.harness.advance(by: .milliseconds(499))
        #expect(call.answer == .pending)
        test.harness.advance(by: .milliseconds(1))
        #expect(call.answer == .deadlinePassed)
        #expect(test.work.calls[0].isCancelled)
        #expect(try !test.harness.isExecuting(\.actions.exclusive))
    }

    @Test func `that is kept means nothing`() throws {
        let test = try WorkshopTest()
        let call = try test.harness.start(\.actions.exclusive, Order(number: 1), deadline: .milliseconds(500))
        test.work.complete(with: chair)
        #expect(try call.result() == chair)
        test.harness.advance(by: .seconds(1))
        #expect(try call.result() == chair)
    }

    @Test func `counts the time in the queue`() throws {
        let test = try WorkshopTest()
        _ = try test.harness.start(\.actions.queued, Order(number: 1))
        let second = try test.harness.start(\.actions.queued, Order(number: 2), deadline: .seconds(1))
        test.harness.advance(by: .seconds(1))
        #expect(second.answer == .deadlinePassed)
        test.work.complete(with: chair)
        #expect(try test.harness.read(\.outputs.begun) == [1])
    }

    @Test func `of one who shares leaves the others their outcome`() throws {
        let test = try WorkshopTest()
        let first = try test.harness.start(\.actions.shared, Order(number: 1), deadline: .seconds(1))
        let second = try test.harness.start(\.actions.shared, Order(number: 2), deadline: .seconds(3))
        test.harness.advance(by: .seconds(2))
        #expect(first.answer == .deadlinePassed)
        #expect(second.answer == .pending)
        test.harness.advance(by: .seconds(1))
        #expect(second.answer == .deadlinePassed)
        #expect(test.work.calls[0].isCancelled)
    }

    @Test func `is told after the grace to who calls work that does not listen`() throws {
        let test = try WorkshopTest(endsWhenCancelled: false)
        let call = try test.harness.start(\.actions.exclusive, Order(number: 1), deadline: .seconds(1))
        test.harness.advance(by: .milliseconds(1100))
        #expect(call.answer == .deadlinePassed)
        #expect(try test.harness.isExecuting(\.actions.exclusive))
    }
}
