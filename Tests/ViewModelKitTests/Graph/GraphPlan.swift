import TestSupport
import ViewModelKit

/// A graph written down, so that it can be built and, beside that, recomputed naively.
struct GraphPlan {
    /// What one derived value is made of; sources are indices of earlier nodes, cells first.
    enum Formula {
        /// The sum of all sources.
        case sum([Int])
        /// The sum, so coarse that most changes do not come through.
        case coarse([Int])
        /// One of two sources, as a third one says: sources that come and go.
        case choice(condition: Int, then: Int, otherwise: Int)
        /// As many of the sources as the first one says.
        case some([Int])
        /// Sources read twice, in another order the second time.
        case twice([Int])
        /// What does not depend on anything.
        case constant(Int)
    }

    let cellCount: Int
    let formulas: [Formula]

    init(cells: Int, deriveds: Int, using random: inout Seeded) {
        cellCount = cells
        formulas = (0..<deriveds).map { index in
            func source() -> Int { Int.random(in: 0..<cells + index, using: &random) }
            func sources() -> [Int] { (0..<Int.random(in: 1...4, using: &random)).map { _ in source() } }
            return switch Int.random(in: 0..<12, using: &random) {
            case 0...2: .sum(sources())
            case 3...5: .coarse(sources())
            case 6...8: .choice(condition: source(), then: source(), otherwise: source())
            case 9: .some(sources())
            case 10: .twice(sources())
            default: .constant(index)
            }
        }
    }

    /// The value of a formula, whatever the sources are read from.
    static func value(of formula: Formula, _ read: (Int) -> Int) -> Int {
        switch formula {
        case .sum(let sources): sources.reduce(0) { ($0 &+ read($1)) % 1009 }
        case .coarse(let sources): sources.reduce(0) { ($0 &+ read($1)) % 1009 } / 64
        case .choice(let condition, let then, let otherwise):
            read(condition) % 2 == 0 ? read(then) : read(otherwise)
        case .some(let sources):
            sources.prefix(read(sources[0]) % (sources.count + 1)).reduce(1) { ($0 &+ read($1)) % 1009 }
        case .twice(let sources):
            (sources + sources.reversed()).reduce(0) { ($0 &* 3 &+ read($1)) % 1009 }
        case .constant(let value): value
        }
    }

    /// All values, recomputed from nothing but the cells.
    func oracle(_ cells: [Int]) -> [Int] {
        var values = cells
        for formula in formulas {
            values.append(Self.value(of: formula) { values[$0] })
        }
        return values
    }
}

/// A plan, built of cells, derived values and outputs.
final class BuiltGraph {
    let plan: GraphPlan
    let cells: [Cell<Int>]
    let deriveds: [Derived<Int>]
    /// One for each node.
    let outputs: [Output<Int>]
    /// How often each derived value has been computed since the last reset.
    let runs: Runs
    /// What the computations have read, as node and value, since the last reset.
    final class Runs {
        var counts: [Int]
        var reads: [(node: Int, value: Int)] = []

        init(_ count: Int) {
            counts = Array(repeating: 0, count: count)
        }

        func reset() {
            counts = counts.map { _ in 0 }
            reads = []
        }
    }

    init(_ plan: GraphPlan, _ values: [Int], on harness: GraphHarness) {
        self.plan = plan
        let runs = Runs(plan.formulas.count)
        self.runs = runs
        (cells, deriveds, outputs) = harness.wire {
            let cells = values.map { Cell($0) }
            var nodes: [Signal<Int>] = cells
            var deriveds: [Derived<Int>] = []
            for (index, formula) in plan.formulas.enumerated() {
                let earlier = nodes
                let derived = Derived {
                    runs.counts[index] += 1
                    return GraphPlan.value(of: formula) { node in
                        let value = earlier[node].value
                        runs.reads.append((node, value))
                        return value
                    }
                }
                deriveds.append(derived)
                nodes.append(derived)
            }
            return (cells, deriveds, nodes.map { Output($0) })
        }
        outputs.forEach { $0.commitInitialValue() }
        runs.reset()
    }

    var values: [Int] { outputs.map(\.value) }
}
