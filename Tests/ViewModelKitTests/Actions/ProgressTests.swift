import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `Progress` {
    @Test func `is null unless the action executes, and stays between 0 and 1`() throws {
        let test = try WorkshopTest()
        let part = Product(name: "part")
        #expect(try test.harness.progress(\.actions.telling) == nil)
        let call = try test.harness.start(\.actions.telling, Order(number: 1))
        #expect(try test.harness.progress(\.actions.telling) == 0)
        test.work.complete(with: part)
        #expect(try test.harness.progress(\.actions.telling) == 0.5)
        test.work.complete(with: part)
        #expect(try test.harness.progress(\.actions.telling) == 1)
        test.work.complete(with: part)
        #expect(try test.harness.progress(\.actions.telling) == nil)
        try call.result()
    }

    @Test func `is that of the newest execution`() throws {
        let test = try WorkshopTest(endsWhenCancelled: false)
        _ = try test.harness.start(\.actions.telling, Order(number: 1))
        test.work.complete(with: Product(name: "part"))
        #expect(try test.harness.progress(\.actions.telling) == 0.5)
        _ = try test.harness.start(\.actions.telling, Order(number: 2))
        #expect(try test.harness.progress(\.actions.telling) == 0)
        // The older one goes on, and ends, without being heard.
        for _ in 0..<2 {
            let older = try #require(test.work.waiting.max { $0.input.number > $1.input.number })
            older.complete(with: Product(name: "part"))
            #expect(try test.harness.progress(\.actions.telling) == 0)
        }
        #expect(test.work.waiting.map(\.input.number) == [2])
    }
}
