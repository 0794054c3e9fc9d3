import Testing

@testable import Accounts

@Suite struct ObservationTests {
    @Test func `a reader gets the current value, then each new one`() async {
        let account = ObservableValue("nobody")
        var looks = account.values().makeAsyncIterator()
        #expect(await looks.next() == "nobody")

        account.set("nobody")
        account.set("anna")

        #expect(await looks.next() == "anna")
        #expect(account.value == "anna")
    }

    @Test func `a slow reader gets the newest value and none twice`() async {
        let count = ObservableValue(0)
        var looks = count.values().makeAsyncIterator()
        #expect(await looks.next() == 0)
        for number in 1...100 { count.set(number) }
        #expect(await looks.next() == 100)
        count.set(100)
        count.set(101)
        #expect(await looks.next() == 101)
    }

    @Test func `changes at the same time are made one after the other`() async {
        let count = ObservableValue(0)
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<1000 { count.update { $0 += 1 } }
                }
            }
        }
        #expect(count.value == 8000)
    }
}
