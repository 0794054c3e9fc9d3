/// The newest events of an instance, for clients that read slowly or come back; bounded by number and by bytes.
struct EventLog {
    struct Entry {
        let text: [UInt8]
        let output: Int
        let step: Int
    }

    /// The bytes of the events that are kept, each with what it takes beside its text.
    ///
    /// The newest event is kept, however long it is.
    static let byteCapacity = 1 << 20
    /// What an event takes beside its text, about.
    private static let overhead = 64

    private let capacity: Int
    private(set) var entries: [Entry] = []
    private var first = 0
    /// The bytes of the events that are kept.
    private(set) var bytes = 0
    /// The bytes of the events before the first, whose room was not given back yet.
    private var droppedBytes = 0
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
        bytes += text.count + Self.overhead
        while entries.count - first > capacity || (bytes > Self.byteCapacity && entries.count - first > 1) {
            forgotten.append((entries[first].output, entries[first].step))
            let size = entries[first].text.count + Self.overhead
            bytes -= size
            droppedBytes += size
            first += 1
        }
        // The front is given back now and then, so that an append stays cheap.
        if first > capacity || droppedBytes > Self.byteCapacity {
            entries.removeFirst(first)
            first = 0
            droppedBytes = 0
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
