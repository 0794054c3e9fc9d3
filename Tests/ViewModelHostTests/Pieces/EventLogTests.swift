import TestSupport
import Testing

@testable import ViewModelHost

@Suite struct `An event log` {
    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func `keeps the newest events, and counts all of them`(seed: UInt64) {
        var random = Seeded(seed)
        let capacity = Int.random(in: 1...8, using: &random)
        var log = EventLog(capacity: capacity, outputCount: 3)
        var all: [(text: [UInt8], output: Int, step: Int)] = []
        var step = 0
        for number in 0..<400 {
            if Bool.random(using: &random) { step += 1 }
            let output = Int.random(in: 0..<3, using: &random)
            log.append([UInt8(number % 256)], output: output, step: step)
            all.append(([UInt8(number % 256)], output, step))
            let since = Int.random(in: 0...step, using: &random)
            #expect(log.kept(after: since).map(\.text) == all.suffix(capacity).filter { $0.step > since }.map(\.text))
            #expect(log.totals == (0..<3).map { output in all.count { $0.output == output } })
        }
    }

    @Test func `says how many a client has missed that comes back after a while`() {
        var log = EventLog(capacity: 4, outputCount: 2)
        for step in 1...20 { log.append([], output: step % 2, step: step) }
        #expect(log.kept(after: 0).count == 4)
        #expect(log.count(of: 0, after: 10) == 5)
        #expect(log.count(of: 1, after: 0) == 10)
        #expect(log.count(of: 1, after: 19) == 0)
    }

    @Test func `forgets in bounds`() {
        var log = EventLog(capacity: 4, outputCount: 1)
        for step in 1...10_000 { log.append([], output: 0, step: step) }
        #expect(log.totals == [10_000])
        #expect(log.entries.count <= 9)
        #expect(log.count(of: 0, after: 0) <= 40)
    }

    @Test func `keeps events of 1 MiB, and the newest of any size`() {
        var log = EventLog(capacity: 1024, outputCount: 1)
        func texts() -> Int { log.entries.reduce(0) { $0 + $1.text.count } }
        for step in 1...1000 { log.append(Array(repeating: 1, count: 100_000), output: 0, step: step) }
        #expect(log.kept(after: 0).map(\.step) == Array(991...1000))
        #expect(log.bytes <= EventLog.byteCapacity)
        // The room of what is dropped is given back now and then.
        #expect(texts() <= 2 * EventLog.byteCapacity + 100_000)
        log.append(Array(repeating: 1, count: 3_000_000), output: 0, step: 1001)
        #expect(log.kept(after: 0).map(\.step) == [1001])
        log.append([1], output: 0, step: 1002)
        #expect(log.kept(after: 0).map(\.step) == [1002])
        #expect(texts() <= 1)
        #expect(log.totals == [1002])
        #expect(log.count(of: 0, after: 0) == 1002)
    }
}
