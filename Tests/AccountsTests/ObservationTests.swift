import Testing

@testable import Accounts

@Suite struct ObservationTests {
    @Test func `a reader is told at first, and then of each change`() async {
        let signal = ChangeSignal()
        var looks = signal.stream().makeAsyncIterator()
        #expect(await looks.next() != nil)
        signal.send()
        #expect(await looks.next() != nil)
    }

    @Test func `a slow reader is told once of several changes, and the end of a reader ends its stream`() async {
        let signal = ChangeSignal()
        let looks = signal.stream()
        for _ in 1...100 { signal.send() }
        let reader = Task {
            var count = 0
            for await _ in looks {
                count += 1
                if count == 1 { withUnsafeCurrentTask { $0?.cancel() } }
            }
            return count
        }
        #expect(await reader.value == 1)
        signal.send()
    }
}
