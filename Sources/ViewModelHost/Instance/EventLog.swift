import DequeModule

/// The newest events of an instance, for clients that read slowly or resume.
///
/// Their number and bytes are bounded.
struct EventLog {
    struct Entry {
        let text: [UInt8]
        let output: Int
        let step: Int
    }

    /// The maximum bytes of the kept events, the overhead of each included.
    ///
    /// The newest event is kept even if it is longer.
    static let byteCapacity = 1 << 20
    /// The approximate bytes of an event in addition to its text.
    private static let overhead = 64

    private let capacity: Int
    private(set) var entries: Deque<Entry> = []
    /// The bytes of the kept events, the overhead of each included.
    private(set) var bytes = 0
    /// The number of events that each output has had.
    private(set) var totals: [Int]
    /// The outputs and steps of removed events, which are needed to count the events that a resuming client has lost.
    private var forgotten: Deque<(output: Int, step: Int)> = []

    /// The bytes of all that is kept.
    var heldBytes: Int { bytes + forgotten.count * MemoryLayout<(output: Int, step: Int)>.stride }

    init(capacity: Int, outputCount: Int) {
        self.capacity = capacity
        totals = Array(repeating: 0, count: outputCount)
    }

    /// Returns the kept events after `step`, oldest first.
    func kept(after step: Int) -> Slice<Deque<Entry>> {
        var start = entries.count
        while start > 0, entries[start - 1].step > step {
            start -= 1
        }
        return entries[start...]
    }

    mutating func append(_ text: [UInt8], output: Int, step: Int) {
        totals[output] += 1
        entries.append(Entry(text: text, output: output, step: step))
        bytes += text.count + Self.overhead
        while entries.count > capacity || (bytes > Self.byteCapacity && entries.count > 1) {
            let oldest = entries.removeFirst()
            bytes -= oldest.text.count + Self.overhead
            forgotten.append((oldest.output, oldest.step))
            if forgotten.count > 8 * capacity { forgotten.removeFirst() }
        }
    }

    /// Returns the number of events of `output` after `step`, removed ones included as far as they are known.
    func count(of output: Int, after step: Int) -> Int {
        forgotten.count { $0.output == output && $0.step > step }
            + kept(after: step).count { $0.output == output }
    }
}
