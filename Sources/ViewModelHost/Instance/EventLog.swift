/// The events of an instance, the newest of them kept for clients that read slowly or come back.
struct EventLog {
    struct Entry {
        let text: [UInt8]
        let output: Int
        let step: Int
    }

    private let capacity: Int
    private(set) var entries: [Entry] = []
    private var first = 0
    /// How many events each output has had.
    private(set) var totals: [Int]
    /// Of events that are not kept any more, what is needed to say how many a returning client has missed.
    private var forgotten: [(output: Int, step: Int)] = []

    init(capacity: Int, outputCount: Int) {
        self.capacity = capacity
        totals = Array(repeating: 0, count: outputCount)
    }

    /// The events after `step` that are kept, oldest first.
    func kept(after step: Int) -> ArraySlice<Entry> {
        var start = entries.count
        while start > first, entries[start - 1].step > step {
            start -= 1
        }
        return entries[start...]
    }

    mutating func append(_ text: [UInt8], output: Int, step: Int) {
        totals[output] += 1
        entries.append(Entry(text: text, output: output, step: step))
        while entries.count - first > capacity {
            forgotten.append((entries[first].output, entries[first].step))
            first += 1
        }
        // The front is given back now and then, so that an append stays cheap.
        if first > capacity {
            entries.removeFirst(first)
            first = 0
        }
        if forgotten.count > 8 * capacity {
            forgotten.removeFirst(forgotten.count - 4 * capacity)
        }
    }

    /// How many events of `output` are known to have happened after `step`, kept or not.
    func count(of output: Int, after step: Int) -> Int {
        forgotten.count { $0.output == output && $0.step > step }
            + kept(after: step).count { $0.output == output }
    }
}
