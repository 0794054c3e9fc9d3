import ReferenceViewModels
import Testing

struct CalculatorOracleTests {
    @Test func `random keys show what an independent calculator shows`() throws {
        let vectors = try CalculatorVectors.load()
        print("calculator runs of seed \(vectors.seed)")
        #expect(vectors.runs.count == 301)
        for run in vectors.runs {
            try replay(run)
        }
    }

    private func replay(_ run: CalculatorVectors.Run) throws {
        let leds = run.leds.split(separator: ",", omittingEmptySubsequences: false)
        try #require(leds.count == run.keys.count && run.flags.count == run.keys.count)
        var brain = CalculatorBrain()
        var led = "0"
        var problems: [String] = []
        for (index, (key, (change, flags))) in zip(run.keys, zip(leds, run.flags)).enumerated() {
            if let problem = try brain.type(String(key)) {
                problems.append("\(index) \(problem.code)")
            }
            if !change.isEmpty {
                led = change == "~" ? "\(led)\(key)" : String(change)
            }
            let soFar = run.keys.prefix(index + 1)
            try #require(brain.led == led, "\(soFar)")
            try #require((brain.canUndo ? 2 : 0) + (brain.canClear ? 1 : 0) == flags.wholeNumberValue, "\(soFar)")
        }
        #expect(problems == run.problems, "\(run.keys)")
        #expect(brain.operations.map(\.text) == run.rows, "\(run.keys)")
        #expect(brain.operations.map(\.id) == run.ids, "\(run.keys)")
    }
}
