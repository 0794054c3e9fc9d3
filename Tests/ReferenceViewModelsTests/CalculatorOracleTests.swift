import ReferenceViewModels
import Testing

/// The rules of the calculator: its keys, numbers, rows, ids and conditions.
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
        #expect((0..<brain.operationCount).map(brain.operation(at:)) == brain.operations, "\(run.keys)")
    }

    @Test func `there are sixteen keys, in the order in which they are named`() {
        #expect(Key.allCases.map(\.rawValue).joined() == "0123456789.+-*/=")
    }

    @Test func `what has no result is told once, by the key that asked for it`() throws {
        var brain = CalculatorBrain()
        #expect(try brain.type("8 / 0") == nil)
        #expect(brain.press(.add) == .divisionByZero)
        #expect(brain.press(.equals) == nil)
        #expect(try brain.type("/ 0 =") == .divisionByZero)
        #expect(CalculatorProblem.divisionByZero.message == "Cannot divide by zero")
    }

    @Test func `a result of 1e100 is an overflow that leaves the running result, and one below 1e-100 is 0`() throws {
        var large = try CalculatorBrain("10" + String(repeating: "* 1000000000000000", count: 6) + "* 99999999 =")
        #expect(large.led == "9.9999999e98")
        #expect(try large.type("* 100 -") == .overflow)
        #expect(large.led == "9.9999999e98")
        #expect(try large.type("1 =") == nil)
        #expect(large.operations.first?.text == "- 1")
        var small = try CalculatorBrain("10" + String(repeating: "/ 1000000000000000", count: 6) + "/ 100000000000 =")
        #expect(small.led == "1e-100")
        #expect(try small.type("/ 2 =") == nil)
        #expect(small.led == "0")
    }
}
