import Testing

@testable import Scenarios

/// The tables of scenarios, in memory.
@Suite struct ScenarioTests {
    @Test(arguments: Scenario.all)
    func `clients receive what the scenario says`(_ scenario: Scenario) throws {
        let setup = try ScenarioSetup(scenario)
        try ScenarioRun(scenario, setup, in: MemoryWorld(setup)).run()
    }

    @Test(arguments: Scenario.all)
    func `clients on another loop than their session's receive the same`(_ scenario: Scenario) throws {
        let setup = try ScenarioSetup(scenario)
        try ScenarioRun(scenario, setup, in: MemoryWorld(setup, loops: 2)).run()
    }

    @Test func `the tables are there`() {
        #expect(Scenario.all.count > 150)
        #expect(Set(Scenario.all.map(\.place)).count == Scenario.all.count)
    }

    @Test(arguments: [
        ("a board.put [1] => 2", ": 1 instead of 2"), ("a board.put [1] =! -32000", "the reply is"),
        ("a board.fail =! -32001", "the reply is"),
        ("a gets board.set {}", "nothing came"),
        ("a board.fail =! -32000 {\"error\":\"broken\"}", "/details was not expected"),
        ("a viewModel.list => {\"more\":1}", "/more is missing"), ("a sends {", "came, too"),
        ("a viewModel.list => {", "is not JSON"), ("a reads board {\"value\":1}", "/value: 0 instead of 1"),
    ])
    func `a row that does not hold is named with its line`(step: String, reason: String) throws {
        let scenario = try #require(Scenario.table("== a row\na board.set [0]\n\(step)\n", of: "table").first)
        let setup = try ScenarioSetup(scenario)
        let failure = #expect(throws: ScenarioFailure.self) {
            try ScenarioRun(scenario, setup, in: MemoryWorld(setup)).run()
        }
        #expect(failure?.description.hasPrefix("table:3: \(step)\n") == true)
        #expect(failure?.description.contains(reason) == true, "\(failure?.description ?? "")")
    }
}
