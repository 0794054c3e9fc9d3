import TestSupport
import Testing
import ViewModelKit
import ViewModelTesting

@Suite struct `A random graph` {
    private static let seeds: [UInt64] = Array(1...60)

    private struct Case {
        let harness: GraphHarness
        let graph: BuiltGraph
        var cells: [Int]

        init(using random: inout Seeded) throws {
            harness = try GraphHarness()
            let plan = GraphPlan(
                cells: .random(in: 1...6, using: &random),
                deriveds: .random(in: 1...24, using: &random),
                using: &random
            )
            cells = (0..<plan.cellCount).map { _ in .random(in: 0..<100, using: &random) }
            graph = BuiltGraph(plan, cells, on: harness)
        }

        /// Writes a few cells; often with what they are already.
        mutating func write(using random: inout Seeded) {
            for _ in 0..<Int.random(in: 0...4, using: &random) {
                let cell = Int.random(in: cells.indices, using: &random)
                if Bool.random(using: &random) { cells[cell] = .random(in: 0..<100, using: &random) }
                if Bool.random(using: &random) { graph.cells[cell].value = .random(in: 0..<100, using: &random) }
                graph.cells[cell].value = cells[cell]
            }
        }
    }

    @Test(arguments: seeds)
    func `is at every step what recomputing everything gives, computed once and committed where it differs`(
        seed: UInt64
    ) throws {
        var random = Seeded(seed)
        var test = try Case(using: &random)
        let graph = test.graph
        for _ in 0..<60 {
            let before = graph.plan.oracle(test.cells)
            let sequence = test.harness.graph.sequence
            graph.runs.reset()
            test.harness.step { test.write(using: &random) }
            let after = graph.plan.oracle(test.cells)
            // Each value is computed at most once, from values of this step only.
            #expect(graph.runs.counts.allSatisfy { $0 <= 1 })
            #expect(graph.runs.reads.allSatisfy { after[$0.node] == $0.value })
            #expect(graph.values == after)
            let differing = before.indices.filter { before[$0] != after[$0] }
            #expect(before.indices.filter { graph.outputs[$0].changedAt > sequence } == differing)
            #expect(test.harness.graph.sequence == sequence + (differing.isEmpty ? 0 : 1))
        }
    }

    @Test(arguments: seeds)
    func `shows the writes so far to who reads in the middle of a step`(seed: UInt64) throws {
        var random = Seeded(seed)
        var test = try Case(using: &random)
        for _ in 0..<30 {
            test.harness.step {
                for _ in 0..<3 {
                    test.write(using: &random)
                    let node = Int.random(in: test.graph.outputs.indices, using: &random)
                    #expect(test.graph.outputs[node].value == test.graph.plan.oracle(test.cells)[node])
                }
            }
            #expect(test.graph.values == test.graph.plan.oracle(test.cells))
        }
    }

    @Test(arguments: seeds)
    func `leaves no dependents behind when it is released`(seed: UInt64) throws {
        var random = Seeded(seed)
        let harness = try GraphHarness()
        let plan = GraphPlan(cells: 4, deriveds: 12, using: &random)
        let shared = harness.wire { (0..<4).map { Cell($0) } }
        for round in 0..<3 {
            let outputs = harness.wire {
                var nodes: [Signal<Int>] = shared
                for formula in plan.formulas {
                    let earlier = nodes
                    nodes.append(Derived { GraphPlan.value(of: formula) { earlier[$0].value } })
                }
                return nodes.map { Output($0) }
            }
            outputs.forEach { $0.commitInitialValue() }
            harness.step { shared[round].value += 17 }
            #expect(outputs.map(\.value) == plan.oracle(shared.map(\.value)))
        }
        #expect(shared.map(\.dependentCount) == [0, 0, 0, 0])
    }
}
