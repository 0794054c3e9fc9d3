/// One line of the table: a figure, measured in several rounds, and what it shall be.
struct Figure: Encodable {
    let name: String
    let unit: String
    /// One value a round.
    private(set) var values: [Double] = []
    /// The floor's in the same rounds; empty where there is nothing to compare with.
    private(set) var floorValues: [Double] = []
    /// The 99th percentiles of the rounds' latencies, in microseconds.
    private(set) var percentiles: [Double] = []
    let target: Target

    /// What is asked of the ratio to the floor or, without a floor, of the value.
    enum Target: Encodable {
        case atMost(Double)
        case atLeast(Double)
        /// Nothing; the figure is only reported.
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

    var median: Double { Self.median(values) }
    var floorMedian: Double? { floorValues.isEmpty ? nil : Self.median(floorValues) }
    var percentile99: Double? { percentiles.isEmpty ? nil : Self.median(percentiles) }

    /// What is held against the target: ratios where there is a floor.
    private var judged: [Double] {
        floorValues.isEmpty ? values : zip(values, floorValues).map { $0 / $1 }
    }

    /// The median of the ratios to the floor, each taken in one round.
    var ratio: Double? { floorValues.isEmpty ? nil : Self.median(judged) }

    /// How far the rounds were apart: the half of what lies between the first and the third quarter of them.
    var noise: Double {
        let sorted = judged.sorted()
        return (sorted[sorted.count * 3 / 4] - sorted[sorted.count / 4]) / 2
    }

    /// Whether there is a target.
    var isJudged: Bool {
        if case .none = target { false } else { true }
    }

    /// Whether the target is met, or missed by no more than the noise.
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
