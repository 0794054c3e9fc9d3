/// One line of the table: a figure, its values in several rounds, and its target.
struct Figure: Encodable {
    let name: String
    let unit: String
    /// The values, one per round.
    private(set) var values: [Double] = []
    /// The floor's values in the same rounds; empty for a figure without a floor.
    private(set) var floorValues: [Double] = []
    /// The 99th percentiles of the latencies in microseconds, one per round.
    private(set) var percentiles: [Double] = []
    let target: Target

    /// The target for the ratio to the floor or, without a floor, for the value.
    enum Target: Encodable {
        case atMost(Double)
        case atLeast(Double)
        /// The figure has no target and is only reported.
        case none
    }

    init(_ name: String, unit: String, _ target: Target) {
        self.name = name
        self.unit = unit
        self.target = target
    }

    mutating func add(_ value: Double, floor: Double? = nil, p99: Double? = nil) {
        values.append(value)
        if let floor { floorValues.append(floor) }
        if let p99 { percentiles.append(p99) }
    }

    /// Adds the processor time of an operation and the 99th percentile of its latency.
    mutating func add(_ sample: Sample, floor: Sample) {
        add(
            sample.processorMicroseconds,
            floor: floor.processorMicroseconds,
            p99: sample.microseconds(quantile: 0.99)
        )
    }

    var median: Double { Self.median(values) }
    var floorMedian: Double? { floorValues.isEmpty ? nil : Self.median(floorValues) }
    var percentile99: Double? { percentiles.isEmpty ? nil : Self.median(percentiles) }

    /// The values that are compared with the target: with a floor, the ratios to it.
    private var judged: [Double] {
        floorValues.isEmpty ? values : zip(values, floorValues).map { $0 / $1 }
    }

    /// The median of the rounds' ratios to the floor.
    var ratio: Double? { floorValues.isEmpty ? nil : Self.median(judged) }

    /// Half of the interquartile range of the rounds.
    var noise: Double {
        let sorted = judged.sorted()
        return (sorted[sorted.count * 3 / 4] - sorted[sorted.count / 4]) / 2
    }

    /// Whether the figure has a target.
    var isJudged: Bool {
        if case .none = target { false } else { true }
    }

    /// Whether the figure meets its target, or misses it by no more than the noise.
    var holds: Bool {
        switch target {
        case .atMost(let limit): Self.median(judged) - noise <= limit
        case .atLeast(let limit): Self.median(judged) + noise >= limit
        case .none: true
        }
    }

    static func median(_ values: [Double]) -> Double {
        let sorted = values.sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    private enum Key: CodingKey {
        case name, unit, values, floor, p99, median, ratio, noise, target, holds
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(name, forKey: .name)
        try container.encode(unit, forKey: .unit)
        try container.encode(values, forKey: .values)
        try container.encode(floorValues, forKey: .floor)
        try container.encodeIfPresent(percentile99, forKey: .p99)
        try container.encode(median, forKey: .median)
        try container.encodeIfPresent(ratio, forKey: .ratio)
        try container.encode(noise, forKey: .noise)
        try container.encode(target, forKey: .target)
        try container.encode(holds, forKey: .holds)
    }
}
